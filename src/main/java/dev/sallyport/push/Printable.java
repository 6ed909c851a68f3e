package dev.sallyport.push;

import java.nio.charset.StandardCharsets;

/// Text of a sandbox's choosing, made fit for one line of a log or terminal.
final class Printable {
    private static final int LENGTH_MAX = 200;

    private Printable() {}

    /// Printable ASCII stays; every other byte becomes `\xNN`. Cut in the middle, because both ends
    /// of a path tell something.
    static String of(byte[] bytes) {
        if (bytes.length > LENGTH_MAX) {
            int half = LENGTH_MAX / 2;
            return escape(bytes, 0, half) + "..." + escape(bytes, bytes.length - half, half);
        }
        return escape(bytes, 0, bytes.length);
    }

    static String of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String escape(byte[] bytes, int start, int length) {
        StringBuilder line = new StringBuilder(length);
        for (int i = start; i < start + length; i++) {
            int b = bytes[i] & 0xFF;
            if (b >= 0x20 && b < 0x7F && b != '\\') {
                line.append((char) b);
            } else {
                line.append("\\x").append(Character.forDigit(b >> 4, 16));
                line.append(Character.forDigit(b & 15, 16));
            }
        }
        return line.toString();
    }
}
