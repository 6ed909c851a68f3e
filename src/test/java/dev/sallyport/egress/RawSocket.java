package dev.sallyport.egress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// A program in a sandbox that says exactly what it is told.
public final class RawSocket implements AutoCloseable {
    private static final int MILLIS_MAX = 60_000;

    private final Socket socket = new Socket();

    public RawSocket(int port) {
        this("127.0.0.1", port);
    }

    public RawSocket(String address, int port) {
        try {
            socket.setSoTimeout(MILLIS_MAX);
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(InetAddress.ofLiteral(address), port), MILLIS_MAX);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Socket socket() {
        return socket;
    }

    public RawSocket send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    public RawSocket send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public byte[] take(int count) throws IOException {
        return socket.getInputStream().readNBytes(count);
    }

    /// Everything up to the end of the connection. A reset is one way to end.
    public byte[] rest() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            socket.getInputStream().transferTo(all);
        } catch (SocketException _) {
            // What came before it still counts.
        }
        return all.toByteArray();
    }

    public String restInHex() throws IOException {
        return HexFormat.of().formatHex(rest());
    }

    public String restAsText() throws IOException {
        return new String(rest(), StandardCharsets.ISO_8859_1);
    }

    /// The head of an answer.
    public String head() throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = socket.getInputStream().read();
            if (c < 0) {
                break;
            }
            head.append((char) c);
        }
        return head.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
