package dev.sallyport.control;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/// As much HTTP/1.1 as our own server speaks: one request at a time, bodies with `Content-Length`.
final class HttpExchange {
    private static final int HEAD_BYTES_MAX = 16_384;
    private static final String LENGTH_FIELD = "content-length:";

    private final SocketChannel channel;
    private final ByteBuffer input = ByteBuffer.allocate(8_192).limit(0);

    HttpExchange(SocketChannel channel) {
        this.channel = channel;
    }

    record Answer(int status, String body) {}

    Answer ask(String method, String path, byte[] body) throws IOException {
        String head =
                "%s %s HTTP/1.1\r\nHost: sallyport\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n"
                        .formatted(method, path, body.length);
        write(ByteBuffer.wrap(head.getBytes(StandardCharsets.US_ASCII)));
        write(ByteBuffer.wrap(body));
        Arrays.fill(body, (byte) 0);
        return readAnswer();
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private Answer readAnswer() throws IOException {
        String[] lines = readHead().split("\r\n", -1);
        String[] status = lines[0].split(" ", 3);
        if (status.length < 2 || !status[0].equals("HTTP/1.1")) {
            throw new IOException("not an HTTP answer");
        }
        int length = 0;
        for (String line : lines) {
            if (line.toLowerCase(Locale.ROOT).startsWith(LENGTH_FIELD)) {
                length = number(line.substring(LENGTH_FIELD.length()).trim());
            }
        }
        return new Answer(number(status[1]), new String(readBody(length), StandardCharsets.UTF_8));
    }

    private static int number(String text) throws IOException {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IOException("not an HTTP answer", e);
        }
    }

    private String readHead() throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.length() < 4 || head.lastIndexOf("\r\n\r\n") != head.length() - 4) {
            if (head.length() >= HEAD_BYTES_MAX) {
                throw new IOException("the answer's head is too long");
            }
            head.append((char) readByte());
        }
        return head.toString();
    }

    private int readByte() throws IOException {
        if (!input.hasRemaining()) {
            fill();
        }
        return input.get() & 0xff;
    }

    private void fill() throws IOException {
        input.clear();
        int count = channel.read(input);
        input.flip();
        if (count < 0) {
            throw new EOFException("the daemon closed the connection");
        }
    }

    private byte[] readBody(int length) throws IOException {
        if (length < 0 || length > ApiJson.ANSWER_BYTES_MAX) {
            throw new IOException("the answer is too long");
        }
        byte[] body = new byte[length];
        for (int at = 0; at < length; ) {
            if (!input.hasRemaining()) {
                fill();
            }
            int count = Math.min(length - at, input.remaining());
            input.get(body, at, count);
            at += count;
        }
        return body;
    }

    void close() {
        try {
            channel.close();
        } catch (IOException e) {
            System.getLogger(HttpExchange.class.getName())
                    .log(System.Logger.Level.DEBUG, "closing the control connection", e);
        }
    }
}
