package dev.sallyport.egress;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/// Writes ClientHellos by hand, good ones and such as no client would send.
public final class Hellos {
    private static final int RECORD_BYTES_MAX = 16_384;
    private static final int SERVER_NAME = 0;
    static final int ALPN = 16;

    private final SequencedMap<Integer, byte[]> extensions = new LinkedHashMap<>();
    private byte[] body = new byte[0];

    private Hellos() {}

    /// As a client of today sends it, with the values that keep servers tolerant (RFC 8701).
    public static Hellos naming(String name) {
        return new Hellos()
                .with(0x1a1a, new byte[0])
                .with(SERVER_NAME, serverNames(name))
                .with(10, bytes(0, 4, 0x2a, 0x2a, 0, 29))
                .with(ALPN, protocols("h2", "http/1.1"))
                .with(43, bytes(6, 0x3a, 0x3a, 3, 4, 3, 3))
                .with(51, bytes(0, 5, 0x2a, 0x2a, 0, 1, 0))
                .with(0xfafa, bytes(0));
    }

    /// The whole of it, in one record.
    public static byte[] of(String name) {
        return naming(name).bytes();
    }

    public Hellos with(int type, byte[] data) {
        extensions.put(type, data);
        return this;
    }

    public Hellos without(int type) {
        extensions.remove(type);
        return this;
    }

    public Hellos withoutName() {
        return without(SERVER_NAME);
    }

    Hellos withName(byte[] data) {
        return with(SERVER_NAME, data);
    }

    /// Makes it at least this long.
    Hellos padded(int length) {
        return with(21, new byte[length]);
    }

    static byte[] serverNames(String... names) {
        ByteArrayOutputStream list = new ByteArrayOutputStream();
        for (String name : names) {
            byte[] text = name.getBytes(StandardCharsets.ISO_8859_1);
            list.write(0);
            list.writeBytes(vector16(text));
        }
        return vector16(list.toByteArray());
    }

    static byte[] protocols(String... names) {
        ByteArrayOutputStream list = new ByteArrayOutputStream();
        for (String name : names) {
            list.writeBytes(vector8(name.getBytes(StandardCharsets.ISO_8859_1)));
        }
        return vector16(list.toByteArray());
    }

    static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    static byte[] vector8(byte[] data) {
        return joined(bytes(data.length), data);
    }

    static byte[] vector16(byte[] data) {
        return joined(bytes(data.length >> 8, data.length), data);
    }

    static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Arrays.stream(parts).forEach(all::writeBytes);
        return all.toByteArray();
    }

    byte[] extensionBytes() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Map.Entry<Integer, byte[]> extension : extensions.entrySet()) {
            all.writeBytes(bytes(extension.getKey() >> 8, extension.getKey()));
            all.writeBytes(vector16(extension.getValue()));
        }
        return all.toByteArray();
    }

    /// Everything before the extensions.
    static byte[] opening() {
        return joined(
                bytes(3, 3),
                new byte[32],
                vector8(new byte[32]),
                vector16(bytes(0x4a, 0x4a, 0x13, 1)),
                vector8(new byte[1]));
    }

    Hellos body(byte[] whole) {
        body = whole;
        return this;
    }

    /// The handshake message, without records.
    byte[] message() {
        byte[] content = body.length > 0 ? body : joined(opening(), vector16(extensionBytes()));
        return joined(bytes(1, content.length >> 16, content.length >> 8, content.length), content);
    }

    public byte[] bytes() {
        return inRecords(message(), List.of(RECORD_BYTES_MAX));
    }

    /// In records of these lengths; the last length repeats.
    public byte[] inRecords(List<Integer> lengths) {
        return inRecords(message(), lengths);
    }

    static byte[] inRecords(byte[] message, List<Integer> lengths) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        int record = 0;
        int at = 0;
        while (at < message.length) {
            int length = lengths.get(Math.min(record++, lengths.size() - 1));
            byte[] fragment =
                    Arrays.copyOfRange(message, at, Math.min(at + length, message.length));
            all.writeBytes(joined(bytes(22, 3, 1), vector16(fragment)));
            at += fragment.length;
        }
        return all.toByteArray();
    }
}
