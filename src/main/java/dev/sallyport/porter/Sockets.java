package dev.sallyport.porter;

import dev.sallyport.channel.ListenerKind;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/// Opens sockets in the calling thread's network namespace. What listens is IPv4 only: the
/// sandbox's loopback needs no second family, and one family is half the address forms to get
/// wrong.
final class Sockets {
    /// Connections that wait in the kernel while the gateway is busy or being replaced.
    private static final int BACKLOG_CONNECTIONS = 512;

    /// Must run before the thread changes its namespace, because it reads host files.
    static void prepare() {
        Epoll.ensureAvailability();
    }

    static List<Listener> openAll(List<Opening> openings) throws IOException {
        NetNamespace.requireOnlyLoopback();
        NetInterface.bringUp(NetInterface.LOOPBACK);
        NetInterface.addSecondLoopbackAddress();
        return listen(openings);
    }

    /// The same in a namespace that somebody else has set up, and that may hold more than loopback.
    static List<Listener> listen(List<Opening> openings) throws IOException {
        List<Listener> opened = new ArrayList<>();
        try {
            for (Opening opening : openings) {
                opened.add(new Listener(opening, open(opening)));
            }
            return List.copyOf(opened);
        } catch (IOException | RuntimeException e) {
            closeAll(opened, e);
            throw e;
        }
    }

    static void closeAll(List<Listener> listeners, Exception reason) {
        for (Listener listener : listeners) {
            try {
                listener.descriptor().close();
            } catch (IOException e) {
                reason.addSuppressed(e);
            }
        }
    }

    private static FileDescriptor open(Opening opening) throws IOException {
        return switch (opening) {
            case Opening.Door(ListenerKind kind) ->
                    open(kind.toString(), kind.transport(), kind.address(), kind.port());
            case Opening.Port(String address, int port) ->
                    open(address + ":" + port, ListenerKind.Transport.TCP, address, port);
            case Opening.Unconnected _ -> unconnected();
        };
    }

    /// For both loopback addresses, where the kernel has IPv6.
    private static FileDescriptor unconnected() {
        try {
            return LinuxSocket.newSocketStream(true);
        } catch (ChannelException e) {
            return LinuxSocket.newSocketStream(false);
        }
    }

    private static FileDescriptor open(
            String what, ListenerKind.Transport transport, String address, int port)
            throws IOException {
        LinuxSocket socket =
                switch (transport) {
                    case TCP -> LinuxSocket.newSocketStream(false);
                    case UDP -> LinuxSocket.newSocketDgram(false);
                };
        try {
            bind(socket, transport, new InetSocketAddress(InetAddress.ofLiteral(address), port));
            return socket;
        } catch (IOException e) {
            socket.close();
            throw new IOException(
                    "cannot open " + what + " inside the sandbox: " + e.getMessage(), e);
        }
    }

    /// A UDP socket does not get `SO_REUSEADDR`: on Linux that would let a process of the sandbox
    /// bind the same port and take the questions.
    private static void bind(
            LinuxSocket socket, ListenerKind.Transport transport, InetSocketAddress address)
            throws IOException {
        switch (transport) {
            case TCP -> {
                socket.setReuseAddress(true);
                socket.bind(address);
                socket.listen(BACKLOG_CONNECTIONS);
            }
            case UDP -> socket.bind(address);
        }
    }
}
