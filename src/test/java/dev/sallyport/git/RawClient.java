package dev.sallyport.git;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/// A sandbox that speaks HTTP by hand and reads until the door hangs up.
final class RawClient {
    private static final int READ_MILLIS_MAX = 60_000;

    private static final int READ_BYTES = 65_536;

    private RawClient() {}

    /// Sends a whole request (with `Connection: close`) and returns every byte that came back.
    static String send(int port, String request) throws IOException {
        return send(port, request, _ -> {});
    }

    /// The same.
    ///
    /// @param each gets all that has come so far, whenever more has
    static String send(int port, String request, Consumer<String> each) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(READ_MILLIS_MAX);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return readAll(socket.getInputStream(), each);
        }
    }

    private static String readAll(InputStream in, Consumer<String> each) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] some = new byte[READ_BYTES];
        try {
            for (int read = in.read(some); read >= 0; read = in.read(some)) {
                all.write(some, 0, read);
                each.accept(all.toString(StandardCharsets.ISO_8859_1));
            }
        } catch (SocketException _) {
            // A reset is one way of being cut; what came before it still counts.
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: gateway.sallyport\r\nConnection: close\r\n\r\n";
    }

    static String post(String path, String type, String body) {
        return "POST "
                + path
                + " HTTP/1.1\r\nHost: gateway.sallyport\r\nConnection: close\r\nContent-Type: "
                + type
                + "\r\nContent-Length: "
                + body.length()
                + "\r\n\r\n"
                + body;
    }

    /// Whether an answer arrived whole by its own framing.
    static boolean isWhole(String answer) {
        int split = answer.indexOf("\r\n\r\n");
        if (split < 0) {
            return false;
        }
        String head = answer.substring(0, split).toLowerCase(java.util.Locale.ROOT);
        String body = answer.substring(split + 4);
        if (head.contains("transfer-encoding: chunked")) {
            return body.endsWith("0\r\n\r\n");
        }
        java.util.regex.Matcher length =
                java.util.regex.Pattern.compile("content-length: ([0-9]+)").matcher(head);
        return length.find() && body.length() == Integer.parseInt(length.group(1));
    }
}
