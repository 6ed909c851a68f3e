package dev.sallyport.warden;

import dev.sallyport.control.ControlSocket;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/// The control API's socket. It is made inside a directory that only we can enter, and comes to its
/// own name when its mode is set: whoever finds it, finds it private.
final class ControlServer implements AutoCloseable {
    private static final int BACKLOG = 1_024;

    private final Channel channel;
    private final Path socket;

    private ControlServer(Channel channel, Path socket) {
        this.channel = channel;
        this.socket = socket;
    }

    /// The caller holds the instance lock.
    static ControlServer open(EventLoop loop, Patron patron, List<Operation> table, Leases leases)
            throws IOException {
        ControlSocket.clear(patron.home());
        Path socket = patron.home().controlSocket();
        Path unnamed = socket.resolveSibling("control.new");
        Files.deleteIfExists(unnamed);
        try {
            Channel channel =
                    new ServerBootstrap()
                            .group(loop)
                            .channel(EpollServerDomainSocketChannel.class)
                            .option(ChannelOption.SO_BACKLOG, BACKLOG)
                            .childHandler(new ControlPipeline(table, leases, patron.person().uid()))
                            .bind(new DomainSocketAddress(unnamed.toString()))
                            .sync()
                            .channel();
            Files.setPosixFilePermissions(unnamed, PosixFilePermissions.fromString("rw-------"));
            if (patron.guest().isPresent()) {
                Files.setAttribute(unnamed, "unix:uid", patron.person().uid());
            }
            Files.move(unnamed, socket, StandardCopyOption.ATOMIC_MOVE);
            return new ControlServer(channel, socket);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while opening the control socket", e);
        }
    }

    Path socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        channel.close().syncUninterruptibly();
        Files.deleteIfExists(socket);
    }
}
