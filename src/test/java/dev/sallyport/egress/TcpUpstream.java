package dev.sallyport.egress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/// A host on loopback that keeps every byte it gets and does what a test says.
public final class TcpUpstream implements AutoCloseable {
    /// What it does with a connection.
    public interface Script {
        void run(Peer peer) throws IOException;
    }

    /// One connection, with what it was sent.
    public static final class Peer {
        private final Socket socket;
        private final ByteArrayOutputStream received = new ByteArrayOutputStream();

        Peer(Socket socket) {
            this.socket = socket;
        }

        /// Waits for this many bytes more; fewer when the other side ends.
        public byte[] take(int count) throws IOException {
            byte[] bytes = socket.getInputStream().readNBytes(count);
            keep(bytes);
            return bytes;
        }

        public void takeAll() throws IOException {
            byte[] piece = new byte[65_536];
            for (int n = socket.getInputStream().read(piece);
                    n >= 0;
                    n = socket.getInputStream().read(piece)) {
                keep(java.util.Arrays.copyOf(piece, n));
            }
        }

        private synchronized void keep(byte[] bytes) {
            received.writeBytes(bytes);
        }

        synchronized byte[] received() {
            return received.toByteArray();
        }

        public Socket socket() {
            return socket;
        }

        public void say(byte[] bytes) throws IOException {
            socket.getOutputStream().write(bytes);
        }
    }

    private final ServerSocket listener;
    private final Script script;
    private final List<Peer> peers = new CopyOnWriteArrayList<>();
    private final Map<Integer, CompletableFuture<Void>> markers = new ConcurrentHashMap<>();

    public TcpUpstream(Script script) throws IOException {
        this.script = script;
        this.listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                accepted(listener.accept());
            } catch (IOException _) {
                return;
            }
        }
    }

    private void accepted(Socket socket) throws IOException {
        CompletableFuture<Void> marker = markers.remove(socket.getPort());
        if (marker != null) {
            socket.close();
            marker.complete(null);
            return;
        }
        Peer peer = new Peer(socket);
        peers.add(peer);
        Thread.ofVirtual().start(() -> serve(peer));
    }

    private void serve(Peer peer) {
        try (Socket _ = peer.socket()) {
            script.run(peer);
        } catch (IOException _) {
            // The gateway hung up.
        }
    }

    public String dial() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    /// How often it was connected to before this call, whether it has noticed or not: connections
    /// are accepted in their order, so when one of our own was, all others before it were.
    public int connections() {
        CompletableFuture<Void> noticed = new CompletableFuture<>();
        try (Socket marker = new Socket()) {
            marker.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            markers.put(marker.getLocalPort(), noticed);
            marker.connect(listener.getLocalSocketAddress());
            noticed.orTimeout(60, TimeUnit.SECONDS).join();
            return peers.size();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What the connection of this number has sent.
    public byte[] received(int connection) {
        return peers.size() > connection ? peers.get(connection).received() : new byte[0];
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Peer peer : peers) {
            peer.socket().close();
        }
    }
}
