package dev.sallyport.warden;

import dev.sallyport.channel.ChannelServer;
import dev.sallyport.channel.WardenListener;
import dev.sallyport.confine.ConfinedStart;
import dev.sallyport.confine.Confinement;
import dev.sallyport.confine.Jvm;
import dev.sallyport.sandbox.HostProgram;
import io.netty.channel.EventLoop;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/// One gateway process with its channel and its directory, from birth to removal.
final class GatewayProcess {
    private static final System.Logger LOG = System.getLogger(GatewayProcess.class.getName());

    private final Process process;
    private final ChannelServer channel;
    private final Listener messages;
    private final Path directory;
    private final CompletableFuture<Object> over;

    /// How far a process has come, as it said itself.
    ///
    /// @param channel where answers go
    /// @param ready completes when the process can take sessions
    /// @param ended completes when the channel is over
    record Stages(
            CompletableFuture<ChannelServer> channel,
            CompletableFuture<Void> ready,
            CompletableFuture<Void> ended) {
        Stages() {
            this(new CompletableFuture<>(), new CompletableFuture<>(), new CompletableFuture<>());
        }
    }

    /// Who hears what the process says.
    interface Listener extends WardenListener {
        Stages stages();

        /// Looks at a process that is ready, before it gets a socket.
        ///
        /// @throws IOException when it must not get any
        default void admit(long pid) throws IOException {}

        /// It could not be started, or not admitted.
        default void failed(IOException reason) {}
    }

    private GatewayProcess(
            Process process, ChannelServer channel, Listener messages, Path directory) {
        this.process = process;
        this.channel = channel;
        this.messages = messages;
        this.directory = directory;
        this.over = CompletableFuture.anyOf(process.onExit(), messages.stages().ended());
    }

    /// The process dies with us; see [GatewayCommand].
    static GatewayProcess launch(
            GatewayCommand command, EventLoop loop, Listener messages, Path log)
            throws IOException {
        GatewayAccount account = command.account();
        Path directory = account.makeDirectory();
        try {
            ChannelServer channel =
                    ChannelServer.open(loop, directory, account.separateUid(), messages);
            messages.stages().channel().complete(channel);
            try {
                Process process = spawn(command, directory, log);
                channel.expect(process.pid(), account.uid());
                return new GatewayProcess(process, channel, messages, directory);
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            messages.failed(e);
            SecureRemoval.remove(directory);
            throw e;
        } catch (RuntimeException | OutOfMemoryError e) {
            SecureRemoval.remove(directory);
            throw e;
        }
    }

    private static Process spawn(GatewayCommand command, Path directory, Path log)
            throws IOException {
        ProcessBuilder builder = HostProgram.builder(command.argv(directory));
        builder.environment().put("LANG", "C.UTF-8");
        builder.environment().put(Jvm.ARENAS, Jvm.ARENAS_MAX);
        builder.directory(new File("/"));
        builder.redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        Confinement files = GatewayFiles.of(command, directory, log);
        return ConfinedStart.of(
                builder,
                command.isCutOff() && command.isRoot()
                        ? Confinement.toNoNetwork().and(files)
                        : files);
    }

    ChannelServer channel() {
        return channel;
    }

    long pid() {
        return process.isAlive() ? process.pid() : 0;
    }

    /// Completes when the process or its channel has ended.
    CompletableFuture<Object> over() {
        return over;
    }

    /// See [Listener#admit].
    void admit() throws IOException {
        try {
            messages.admit(process.pid());
        } catch (IOException e) {
            messages.failed(e);
            throw e;
        }
    }

    /// Completes when all that it said has been heard.
    CompletableFuture<Void> heard() {
        return messages.stages().ended();
    }

    /// Whether it is ready for sessions, within this time and before we are `stopped`.
    boolean awaitReady(Duration patience, CompletableFuture<Object> stopped)
            throws InterruptedException {
        try {
            CompletableFuture.anyOf(messages.stages().ready(), over, stopped)
                    .get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return messages.stages().ready().isDone() && !over.isDone() && !stopped.isDone();
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    /// Runs `action` when it is ready for sessions.
    void whenReady(Runnable action) {
        var _ = messages.stages().ready().thenRun(action);
    }

    /// From any thread.
    void kill() {
        process.destroyForcibly();
    }

    /// Ends it, if it has not ended, and removes what it left.
    void close() {
        kill();
        channel.close();
        try {
            process.waitFor();
            SecureRemoval.remove(directory);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, directory + " stays behind", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Which files a gateway can open, whoever it runs as: the system's programs and settings, its
    /// own program, its own directory and its mirrors. Not the person's home, the session store,
    /// the audit log or another process's memory.
    private static final class GatewayFiles {
        /// The resolver's settings are often a link into `/run`.
        private static final List<Path> SYSTEM =
                Stream.of(
                                "/usr",
                                "/bin",
                                "/sbin",
                                "/lib",
                                "/lib32",
                                "/lib64",
                                "/etc",
                                "/proc",
                                "/sys/fs/cgroup",
                                "/sys/devices/system",
                                "/sys/kernel/mm",
                                "/dev/null",
                                "/dev/zero",
                                "/dev/random",
                                "/dev/urandom",
                                "/run/systemd/resolve",
                                "/run/resolvconf",
                                "/run/NetworkManager")
                        .map(Path::of)
                        .toList();

        /// @param directory the channel's directory of this process
        static Confinement of(GatewayCommand command, Path directory, Path log) {
            List<Path> read = new ArrayList<>(SYSTEM);
            read.add(Path.of(command.javaHome()));
            read.add(command.program().jar());
            command.program().aotCache().ifPresent(read::add);
            List<Path> write = new ArrayList<>(command.shared());
            write.addAll(List.of(directory, log, Path.of("/dev/null")));
            return Confinement.toFiles(read, write);
        }
    }
}
