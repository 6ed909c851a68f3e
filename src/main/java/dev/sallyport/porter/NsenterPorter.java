package dev.sallyport.porter;

import dev.sallyport.config.Ownership;
import dev.sallyport.confine.Jvm;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Porter for an ordinary user: a short-lived second process enters the sandbox's user and network
/// namespaces and sends the sockets back.
///
/// It has to be another process because the kernel lets only single-threaded processes enter a user
/// namespace, and a JVM never is one; `nsenter` is, and then becomes the JVM.
public final class NsenterPorter implements Porter {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(60);
    private static final int LOG_CHARS_MAX = 2_000;
    private static final String LIBRARIES = "io.netty.native.workdir";

    private final List<String> jvm;

    private NsenterPorter(List<String> jvm) {
        this.jvm = List.copyOf(jvm);
    }

    static NsenterPorter ofThisJvm() {
        return new NsenterPorter(
                jvmCommand(
                        Jvm.ownHome(),
                        System.getProperty("java.class.path", ""),
                        System.getProperty(LIBRARIES, "")));
    }

    /// Native libraries are unpacked where this process unpacks its own: not in a directory that
    /// others can write to, or that programs cannot be loaded from.
    static List<String> jvmCommand(Path javaHome, String classPath, String libraries) {
        Optional<Path> cache =
                classPath.endsWith(".jar")
                        ? Jvm.PORTER.cache(Path.of(classPath))
                        : Optional.empty();
        List<String> extra =
                libraries.isEmpty() ? List.of() : List.of("-D" + LIBRARIES + "=" + libraries);
        return Jvm.PORTER.command(javaHome, classPath, cache, extra, "internal-porter");
    }

    @Override
    public List<Listener> open(long pid, long expectedInode, List<Opening> openings)
            throws IOException {
        NetNamespace.requireForeign(expectedInode);
        Sockets.prepare();
        Path directory =
                Files.createTempDirectory(
                        "sallyport-porter-",
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")));
        Path socket = directory.resolve("s");
        Path log = directory.resolve("log");
        try {
            return receive(socket, log, command(pid, expectedInode, socket, openings), openings);
        } finally {
            Files.deleteIfExists(socket);
            Files.deleteIfExists(log);
            Files.delete(directory);
        }
    }

    private List<String> command(
            long pid, long expectedInode, Path socket, List<Opening> openings) {
        List<String> command = new ArrayList<>();
        command.addAll(List.of("nsenter", "-t", Long.toString(pid), "-U", "-n"));
        command.addAll(List.of("--preserve-credentials", "--"));
        command.addAll(jvm);
        command.addAll(List.of(socket.toString(), Long.toString(expectedInode)));
        openings.forEach(opening -> command.add(opening.text()));
        return command;
    }

    private static List<Listener> receive(
            Path socket, Path log, List<String> command, List<Opening> openings)
            throws IOException {
        try (var inbox = DescriptorInbox.listen(socket, ANSWER_MAX)) {
            Process process = spawn(command, log);
            try {
                return inbox.receive(process, openings);
            } catch (IOException e) {
                throw new IOException(e.getMessage() + said(log), e);
            } finally {
                reap(process);
            }
        }
    }

    private static Process spawn(List<String> command, Path log) throws IOException {
        var builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
        builder.environment().put("LANG", "C.UTF-8");
        builder.environment().put(Jvm.ARENAS, Jvm.ARENAS_MAX);
        builder.redirectInput(new File("/dev/null"));
        builder.redirectErrorStream(true).redirectOutput(log.toFile());
        return builder.start();
    }

    private static void reap(Process process) {
        try {
            if (!process.waitFor(1, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private static String said(Path log) throws IOException {
        String text = Files.exists(log) ? Files.readString(log).strip() : "";
        return text.isEmpty()
                ? ""
                : "; it said: " + text.substring(0, Math.min(text.length(), LOG_CHARS_MAX));
    }

    /// Receives descriptors from exactly one process that this one started, and from nobody else.
    private static final class DescriptorInbox implements AutoCloseable {
        private static final int SOL_SOCKET = 1;
        private static final int SO_PEERCRED = 17;
        private static final int UCRED_BYTES = 12;
        private static final int POLL_MILLIS = 2;
        private static final int NOT_YET = 0;

        private final LinuxSocket server;
        private final long deadlineNanos;

        private DescriptorInbox(LinuxSocket server, long deadlineNanos) {
            this.server = server;
            this.deadlineNanos = deadlineNanos;
        }

        static DescriptorInbox listen(Path path, Duration answerMax) throws IOException {
            LinuxSocket server = LinuxSocket.newSocketDomain();
            server.bind(new DomainSocketAddress(path.toString()));
            server.listen(1);
            return new DescriptorInbox(server, System.nanoTime() + answerMax.toNanos());
        }

        List<Listener> receive(Process sender, List<Opening> openings) throws IOException {
            int accepted = await(sender, () -> Math.max(NOT_YET, server.accept(new byte[128])));
            Socket peer = new Socket(accepted);
            List<Listener> received = new ArrayList<>();
            try {
                requirePeer(peer, sender.pid());
                for (Opening opening : openings) {
                    int descriptor = await(sender, peer::recvFd);
                    received.add(new Listener(opening, new FileDescriptor(descriptor)));
                }
                return List.copyOf(received);
            } catch (IOException e) {
                Sockets.closeAll(received, e);
                throw e;
            } finally {
                peer.close();
            }
        }

        private static void requirePeer(Socket peer, long pid) throws IOException {
            ByteBuffer ucred =
                    ByteBuffer.allocateDirect(UCRED_BYTES).order(ByteOrder.nativeOrder());
            peer.getRawOpt(SOL_SOCKET, SO_PEERCRED, ucred);
            boolean expected = ucred.getInt(0) == pid && ucred.getInt(4) == Ownership.ownUid();
            if (!expected) {
                throw new IOException("a process that is not the porter connected; refused");
            }
        }

        /// Repeats a non-blocking attempt until it yields a descriptor.
        private int await(Process sender, Attempt attempt) throws IOException {
            while (true) {
                boolean ended = !sender.isAlive();
                int descriptor = attempt.once();
                if (descriptor > NOT_YET) {
                    return descriptor;
                }
                if (descriptor < NOT_YET || ended) {
                    throw new IOException("the porter ended before it had opened every socket");
                }
                if (System.nanoTime() - deadlineNanos > 0) {
                    throw new IOException("the porter did not answer in time");
                }
                pause();
            }
        }

        private static void pause() throws IOException {
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while waiting for the porter", e);
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
        }

        /// Yields a descriptor, [#NOT_YET], or a negative number when there will never be one.
        @FunctionalInterface
        private interface Attempt {
            int once() throws IOException;
        }
    }
}
