package dev.sallyport.porter;

import dev.sallyport.config.Ownership;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Receives descriptors from exactly one process that this one started, and from nobody else.
final class DescriptorInbox implements AutoCloseable {
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
        ByteBuffer ucred = ByteBuffer.allocateDirect(UCRED_BYTES).order(ByteOrder.nativeOrder());
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
