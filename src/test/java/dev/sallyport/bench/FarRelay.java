package dev.sallyport.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.LockSupport;

/// Makes a server on loopback look far away: everything takes half a round trip longer each way, a
/// connection one more, and all connections share the rate of one line.
final class FarRelay implements AutoCloseable {
    private static final int PIECE_BYTES = 16_384;
    private static final int PIECES_MAX = 1_024;

    private final ServerSocket listener;
    private final int port;
    private final long oneWayNanos;
    private final Line up;
    private final Line down;

    /// When the next piece may leave.
    private static final class Line {
        private final double bytesPerNano;
        private long freeNanos = System.nanoTime();

        Line(long bitsPerSecond) {
            this.bytesPerNano = bitsPerSecond / 8e9;
        }

        synchronized long leave(int bytes) {
            freeNanos = Math.max(freeNanos, System.nanoTime()) + (long) (bytes / bytesPerNano);
            return freeNanos;
        }
    }

    private record Piece(ByteBuffer bytes, long arrivesNanos) {}

    FarRelay(int port, long roundTripMillis, long bitsPerSecond) throws IOException {
        this(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                port,
                roundTripMillis,
                bitsPerSecond);
    }

    /// @param at where it listens
    FarRelay(InetSocketAddress at, int port, long roundTripMillis, long bitsPerSecond)
            throws IOException {
        this.port = port;
        this.oneWayNanos = roundTripMillis * 500_000;
        this.up = new Line(bitsPerSecond);
        this.down = new Line(bitsPerSecond);
        this.listener = new ServerSocket(at.getPort(), 128, at.getAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket near = listener.accept();
                Thread.ofVirtual().start(() -> serve(near));
            }
        } catch (IOException _) {
            // Closed, which is the end.
        }
    }

    private void serve(Socket near) {
        LockSupport.parkNanos(2 * oneWayNanos);
        try {
            Socket far = new Socket(InetAddress.getLoopbackAddress(), port);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            carry(near, far, up);
            carry(far, near, down);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void carry(Socket from, Socket to, Line line) {
        BlockingQueue<Piece> onItsWay = new ArrayBlockingQueue<>(PIECES_MAX);
        Thread.ofPlatform().daemon().start(() -> read(from, onItsWay, line));
        Thread.ofPlatform().daemon().start(() -> write(to, onItsWay));
    }

    private void read(Socket from, BlockingQueue<Piece> onItsWay, Line line) {
        try {
            try (InputStream in = from.getInputStream()) {
                byte[] buffer = new byte[PIECE_BYTES];
                for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                    byte[] bytes = Arrays.copyOf(buffer, count);
                    onItsWay.put(
                            new Piece(ByteBuffer.wrap(bytes), line.leave(count) + oneWayNanos));
                }
            } catch (IOException _) {
                // As if it had ended.
            }
            onItsWay.put(new Piece(ByteBuffer.allocate(0), System.nanoTime() + oneWayNanos));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void write(Socket to, BlockingQueue<Piece> onItsWay) {
        try (OutputStream out = to.getOutputStream()) {
            for (Piece piece = onItsWay.take();
                    piece.bytes().hasRemaining();
                    piece = onItsWay.take()) {
                long wait = piece.arrivesNanos() - System.nanoTime();
                while (wait > 0) {
                    LockSupport.parkNanos(wait);
                    wait = piece.arrivesNanos() - System.nanoTime();
                }
                out.write(piece.bytes().array());
            }
        } catch (IOException _) {
            onItsWay.clear();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
