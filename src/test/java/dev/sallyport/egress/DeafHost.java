package dev.sallyport.egress;

import dev.sallyport.config.Limits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A host on loopback that takes no connections, because the queue for them is full: whoever dials
/// it waits until it gives up.
public final class DeafHost implements AutoCloseable {
    private static final String SYN_SENT = "02";
    private static final int CONNECT_MILLIS_MAX = 1_000;

    private final ServerSocket listener;
    private final List<Socket> queued = new ArrayList<>();

    public DeafHost() throws IOException {
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        while (isQueued()) {
            if (queued.size() > 64) {
                throw new IOException("the queue is never full");
            }
        }
    }

    private boolean isQueued() throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(address(), CONNECT_MILLIS_MAX);
            queued.add(socket);
            return true;
        } catch (SocketTimeoutException _) {
            socket.close();
            return false;
        }
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort());
    }

    public String dial() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    /// How many connections to it are being made right now, as the kernel sees it.
    public int connecting() {
        return connecting("/proc/self/net/tcp") + connecting("/proc/self/net/tcp6");
    }

    private int connecting(String table) {
        String port = String.format(":%04X", listener.getLocalPort());
        try {
            return Files.exists(Path.of(table))
                    ? (int)
                            Files.readAllLines(Path.of(table)).stream()
                                    .map(line -> line.strip().split(" +"))
                                    .filter(row -> row[2].endsWith(port) && row[3].equals(SYN_SENT))
                                    .count()
                    : 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Limits with which nobody gives up by itself while a test lasts.
    public static Limits patient(Limits.Egress egress) {
        Limits s = Limits.standard();
        return new Limits(
                s.http(),
                s.sharing(),
                s.git(),
                s.push(),
                s.mirror(),
                s.dns(),
                new Limits.Upstream(
                        120, 120, 120, 120, s.upstream().headBytesMax(), 128, 16, 512, 60, 300),
                egress,
                Limits.Api.STANDARD,
                Limits.Approvals.STANDARD);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : queued) {
            socket.close();
        }
    }
}
