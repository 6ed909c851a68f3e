package dev.sallyport.egress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

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

    public TcpUpstream(Script script) throws IOException {
        this.script = script;
        this.listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Peer peer = new Peer(listener.accept());
                peers.add(peer);
                Thread.ofVirtual().start(() -> serve(peer));
            } catch (IOException _) {
                return;
            }
        }
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

    /// How often it was connected to.
    public int connections() {
        return peers.size();
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
