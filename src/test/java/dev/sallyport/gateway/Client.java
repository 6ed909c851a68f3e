package dev.sallyport.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/// A plain socket that says exactly what it is told.
final class Client implements AutoCloseable {
    private final Socket socket = new Socket();

    Client(int port) throws IOException {
        this("127.0.0.1", port);
    }

    Client(String address, int port) throws IOException {
        socket.setSoTimeout(60_000);
        socket.connect(new InetSocketAddress(InetAddress.ofLiteral(address), port), 60_000);
    }

    Client send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    /// Reads to the end of the connection.
    String rest() throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /// Reads until the text that was read ends with `end`.
    String until(String end) throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder text = new StringBuilder();
        while (text.length() < 100_000 && text.lastIndexOf(end) < 0) {
            int b = in.read();
            if (b < 0) {
                break;
            }
            text.append((char) b);
        }
        return text.toString();
    }

    /// Whether the other side neither says anything nor ends the connection in this time.
    boolean isSilentFor(int millis) throws IOException {
        socket.setSoTimeout(millis);
        try {
            var _ = socket.getInputStream().read();
            return false;
        } catch (SocketTimeoutException _) {
            return true;
        } catch (SocketException _) {
            return false;
        }
    }

    /// Whether the other side has ended the connection without a word.
    boolean isClosedByPeer() throws IOException {
        socket.setSoTimeout(1);
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException _) {
            return false;
        } catch (SocketException _) {
            return true;
        }
    }

    static String get(int port, String path, String... fields) throws IOException {
        try (Client client = new Client(port)) {
            String extra = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
            client.send("GET " + path + " HTTP/1.1\r\nHost: gateway.sallyport\r\n");
            client.send(extra + "Connection: close\r\n\r\n");
            return client.rest();
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
