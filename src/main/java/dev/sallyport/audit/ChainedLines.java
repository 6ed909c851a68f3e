package dev.sallyport.audit;

import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;

/// Makes the lines of one moment, each chained to the one before, in one buffer that is used again
/// and again: one write takes them all, and a line leaves no garbage but what its redaction makes.
final class ChainedLines {
    private static final int BYTES_KEPT_MAX = 1 << 20;
    private static final byte[] DIGITS = ascii("0123456789abcdef");

    private final MessageDigest sha256 = sha256();
    private final byte[] hash = new byte[32];
    private byte[] bytes = new byte[8 << 10];
    private int length;
    private long second = Long.MIN_VALUE;
    private String secondText = "";
    private String time = "";
    private Stamp lastStamp = Stamp.NONE;
    private byte[] stampBytes = {};

    /// Forgets all lines and goes on after the one with this hash.
    void begin(String prev, Instant now) {
        bytes = bytes.length > BYTES_KEPT_MAX ? new byte[8 << 10] : bytes;
        length = 0;
        time = time(now);
        System.arraycopy(HexFormat.of().parseHex(prev), 0, hash, 0, hash.length);
    }

    /// As [Instant#toString], which costs more than the rest of a line. Many lines have the same
    /// second.
    private String time(Instant now) {
        int nanos = now.getNano();
        if (nanos % 1_000_000 == 0 || nanos % 1_000 != 0) {
            return now.toString();
        }
        if (now.getEpochSecond() != second) {
            second = now.getEpochSecond();
            String whole = Instant.ofEpochSecond(second).toString();
            secondText = whole.substring(0, whole.length() - 1) + ".";
        }
        return secondText + Integer.toString(1_000_000 + nanos / 1_000).substring(1) + "Z";
    }

    void add(long seq, AuditEvent event) {
        add(seq, event, Stamp.NONE);
    }

    /// What the event says is redacted and escaped here.
    void add(long seq, AuditEvent event, Stamp stamp) {
        int start = length;
        text("{\"seq\":");
        number(seq);
        text(",\"time\":\"");
        text(time);
        text("\",\"kind\":\"");
        escaped(event.kind());
        text("\",\"session\":\"");
        escaped(event.session());
        text("\"");
        stamp(stamp);
        text(",\"decision\":\"");
        escaped(event.decision());
        text("\",\"detail\":{");
        int details = length;
        event.detail()
                .forEach(
                        (key, value) -> {
                            text(length == details ? "\"" : "\",\"");
                            escaped(key);
                            text("\":\"");
                            escaped(Redaction.redact(value));
                        });
        text(length == details ? "}" : "\"}");
        text(",\"prev\":\"");
        hex(hash);
        text("\"");
        chain(start);
        text(",\"hash\":\"");
        hex(hash);
        text("\"}\n");
    }

    /// Many lines in a row have the same.
    private void stamp(Stamp stamp) {
        if (stamp.equals(Stamp.NONE)) {
            return;
        }
        if (!stamp.equals(lastStamp)) {
            lastStamp = stamp;
            stampBytes = stamp.bytes();
        }
        makeRoom(stampBytes.length);
        System.arraycopy(stampBytes, 0, bytes, length, stampBytes.length);
        length += stampBytes.length;
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    /// Of the last line.
    String hash() {
        return HexFormat.of().formatHex(hash);
    }

    private void chain(int start) {
        sha256.update(hash);
        sha256.update(bytes, start, length - start);
        try {
            sha256.digest(hash, 0, hash.length);
        } catch (DigestException e) {
            throw new AssertionError(e);
        }
    }

    private void hex(byte[] value) {
        makeRoom(2 * value.length);
        for (byte b : value) {
            bytes[length++] = DIGITS[(b >> 4) & 0xf];
            bytes[length++] = DIGITS[b & 0xf];
        }
    }

    private void number(long value) {
        if (value >= 10) {
            number(value / 10);
        }
        put(DIGITS[(int) (value % 10)]);
    }

    /// In one copy: until a loop is compiled, it takes longer than all else.
    @SuppressWarnings("deprecation") // Characters that are no bytes are none of ASCII.
    private void text(String ascii) {
        makeRoom(ascii.length());
        ascii.getBytes(0, ascii.length(), bytes, length);
        length += ascii.length();
    }

    /// Only printable ASCII is written as itself: control, bidirectional and look-alike characters
    /// can neither forge a line nor play tricks in a terminal (E19).
    private void escaped(String value) {
        if (isPlain(value)) {
            text(value);
            return;
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < 0x20 || c > 0x7e) {
                text("\\u");
                put(DIGITS[c >> 12]);
                put(DIGITS[(c >> 8) & 0xf]);
                put(DIGITS[(c >> 4) & 0xf]);
                put(DIGITS[c & 0xf]);
            } else {
                if (c == '"' || c == '\\') {
                    put((byte) '\\');
                }
                put((byte) c);
            }
        }
    }

    private static boolean isPlain(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < 0x20 || c > 0x7e || c == '"' || c == '\\') {
                return false;
            }
        }
        return true;
    }

    private void put(byte b) {
        makeRoom(1);
        bytes[length++] = b;
    }

    private void makeRoom(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
