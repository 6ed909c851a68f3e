package dev.sallyport.egress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A sandbox that speaks HTTP by hand.
final class WebClient implements AutoCloseable {
    private static final int READ_MILLIS_MAX = 60_000;
    private static final Pattern LENGTH = Pattern.compile("content-length: ([0-9]+)");

    private final Socket socket;

    WebClient(WebRig rig) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), rig.port());
        socket.setSoTimeout(READ_MILLIS_MAX);
    }

    /// Sends one request on a connection of its own and returns all that came back.
    static String ask(WebRig rig, String request) throws IOException {
        try (WebClient client = new WebClient(rig)) {
            client.send(request);
            return client.all();
        }
    }

    static String get(String target) {
        return get(target, "");
    }

    /// @param fields further lines, each with its end
    static String get(String target, String fields) {
        return "GET " + target + " HTTP/1.1\r\nHost: api.example.com\r\n" + fields + CLOSE;
    }

    static String post(String target, String fields, String body) {
        return "POST "
                + target
                + " HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: "
                + body.length()
                + "\r\n"
                + fields
                + CLOSE
                + body;
    }

    private static final String CLOSE = "Connection: close\r\n\r\n";

    void send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /// Everything until the gateway closes.
    String all() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            socket.getInputStream().transferTo(all);
        } catch (SocketException _) {
            // A reset is one way of being cut; what came before it still counts.
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    /// The next sized or chunked answer, and nothing after it.
    String answer() throws IOException {
        StringBuilder text = new StringBuilder(until("\r\n\r\n"));
        String head = text.toString().toLowerCase(Locale.ROOT);
        if (head.contains("transfer-encoding: chunked")) {
            text.append(until("0\r\n\r\n"));
        }
        Matcher length = LENGTH.matcher(head);
        if (length.find()) {
            byte[] body = socket.getInputStream().readNBytes(Integer.parseInt(length.group(1)));
            text.append(new String(body, StandardCharsets.ISO_8859_1));
        }
        return text.toString();
    }

    /// What comes up to and including this text, or until the gateway closes.
    String until(String end) throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder text = new StringBuilder();
        while (text.length() < end.length()
                || !text.substring(text.length() - end.length()).equals(end)) {
            int c = in.read();
            if (c < 0) {
                break;
            }
            text.append((char) c);
        }
        return text.toString();
    }

    Socket socket() {
        return socket;
    }

    /// Whether an answer arrived whole by its own framing.
    static boolean isWhole(String answer) {
        int split = answer.indexOf("\r\n\r\n");
        if (split < 0) {
            return false;
        }
        String head = answer.substring(0, split).toLowerCase(Locale.ROOT);
        String body = answer.substring(split + 4);
        if (head.contains("transfer-encoding: chunked")) {
            return body.endsWith("0\r\n\r\n");
        }
        Matcher length = LENGTH.matcher(head);
        return length.find() && body.length() == Integer.parseInt(length.group(1));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
