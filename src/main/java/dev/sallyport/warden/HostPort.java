package dev.sallyport.warden;

import dev.sallyport.channel.Message;
import dev.sallyport.session.PublishedPort;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/// Listens on a port of the host for one that a person published. Whoever connects is served by the
/// gateway, or by the sidecar of a sandbox that has its gateway elsewhere; nothing is read here.
final class HostPort {
    private static final int BACKLOG_CONNECTIONS = 128;
    private static final int NO_PERMISSION = -13;
    private static final int IN_USE = -98;
    private static final int NO_SUCH_ADDRESS = -99;

    /// All sockets, or none. Without an address of its own it is on both loopback addresses, so
    /// that `localhost` cannot mean somebody else's server; a machine without IPv6 has one.
    static Map<Message.Inward, FileDescriptor> open(PublishedPort port) throws OperationException {
        if (port.addresses().contains(PublishedPort.NEVER)) {
            throw OperationException.invalid(
                    PublishedPort.NEVER + " is kept for the page of \"sallyport ui\".",
                    "Leave it out.");
        }
        Map<Message.Inward, FileDescriptor> opened = new LinkedHashMap<>();
        for (String address : port.addresses()) {
            try {
                opened.put(
                        new Message.Inward(address, port.hostPort(), port.insidePort()),
                        listen(address, port.hostPort(), BACKLOG_CONNECTIONS));
            } catch (IOException e) {
                if (port.address().isEmpty() && !opened.isEmpty() && isMissing(e)) {
                    continue;
                }
                opened.values().forEach(OpenPorts::close);
                throw refused(port, address, e);
            }
        }
        return opened;
    }

    private static boolean isMissing(IOException e) {
        return errno(e) == NO_SUCH_ADDRESS || e.getCause() instanceof ChannelException;
    }

    private static int errno(IOException e) {
        return e instanceof Errors.NativeIoException known ? known.expectedErr() : 0;
    }

    private static OperationException refused(PublishedPort port, String address, IOException e) {
        String where = "Port " + port.hostPort() + " of " + address;
        String other = "Publish it on another port: " + alternative(port);
        return switch (errno(e)) {
            case IN_USE -> OperationException.conflict(where + " is in use.", other);
            case NO_PERMISSION ->
                    OperationException.conflict(where + " is not yours to open.", other);
            case NO_SUCH_ADDRESS ->
                    OperationException.invalid(
                            address + " is not an address of this machine.", "Leave it out.");
            default ->
                    OperationException.conflict(
                            where + " cannot be opened: " + e.getMessage() + ".", other);
        };
    }

    private static String alternative(PublishedPort port) {
        int free = port.hostPort() < 50_000 ? port.hostPort() + 10_000 : 8_080;
        return free + ":" + port.insidePort();
    }

    /// Fails on a kernel without IPv6.
    private static LinuxSocket socket(boolean six) throws IOException {
        try {
            return LinuxSocket.newSocketStream(six);
        } catch (ChannelException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    static FileDescriptor listen(String address, int port, int backlog) throws IOException {
        InetAddress literal = InetAddress.ofLiteral(address);
        LinuxSocket socket = socket(address.contains(":"));
        try {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(literal, port));
            socket.listen(backlog);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }
}
