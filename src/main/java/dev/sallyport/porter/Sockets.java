package dev.sallyport.porter;

import dev.sallyport.channel.ListenerKind;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/// Opens the gateway's sockets in the calling thread's network namespace. IPv4 only: the sandbox's
/// loopback needs no second family, and one family is half the address forms to get wrong.
final class Sockets {
    /// Connections that wait in the kernel while the gateway is busy or being replaced.
    private static final int BACKLOG_CONNECTIONS = 512;

    private Sockets() {}

    /// Must run before the thread changes its namespace, because it reads host files.
    static void prepare() {
        Epoll.ensureAvailability();
    }

    static List<Listener> openAll(List<ListenerKind> kinds) throws IOException {
        NetNamespace.requireOnlyLoopback();
        NetInterface.bringUp(NetInterface.LOOPBACK);
        NetInterface.addSecondLoopbackAddress();
        List<Listener> opened = new ArrayList<>();
        try {
            for (ListenerKind kind : kinds) {
                opened.add(new Listener(kind, open(kind)));
            }
            return List.copyOf(opened);
        } catch (IOException e) {
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

    private static FileDescriptor open(ListenerKind kind) throws IOException {
        LinuxSocket socket =
                switch (kind.transport()) {
                    case TCP -> LinuxSocket.newSocketStream(false);
                    case UDP -> LinuxSocket.newSocketDgram(false);
                };
        try {
            bind(socket, kind);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw new IOException(
                    "cannot open " + kind + " inside the sandbox: " + e.getMessage(), e);
        }
    }

    /// A UDP socket does not get `SO_REUSEADDR`: on Linux that would let a process of the sandbox
    /// bind the same port and take the questions.
    private static void bind(LinuxSocket socket, ListenerKind kind) throws IOException {
        var address = new InetSocketAddress(InetAddress.ofLiteral(kind.address()), kind.port());
        switch (kind.transport()) {
            case TCP -> {
                socket.setReuseAddress(true);
                socket.bind(address);
                socket.listen(BACKLOG_CONNECTIONS);
            }
            case UDP -> socket.bind(address);
        }
    }
}
