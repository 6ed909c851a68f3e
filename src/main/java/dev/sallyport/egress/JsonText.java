package dev.sallyport.egress;

import dev.sallyport.relay.RefusedException;

/// Decodes one string of JSON after the other: escapes, and UTF-8 in its shortest form only, so
/// that no reader sees the end of the string in another place. Of a long one it keeps the
/// beginning.
final class JsonText {
    private static final String ESCAPES = "\"\\/bfnrt";
    private static final String MEANINGS = "\"\\/\b\f\n\r\t";
    private static final int[] SMALLEST = {0, 0x80, 0x800, 0x10000};

    private final int charactersKept;
    private final StringBuilder kept = new StringBuilder();
    private boolean afterBackslash;
    private int digitsLeft;
    private int followersLeft;
    private int smallest;
    private int code;

    JsonText(int charactersKept) {
        this.charactersKept = charactersKept;
    }

    /// What was read; the next string begins.
    String take() {
        String text = kept.toString();
        kept.setLength(0);
        return text;
    }

    /// Whether this byte is the mark after the string.
    boolean endsAt(byte b) throws RefusedException {
        if (followersLeft > 0) {
            follow(b);
        } else if (afterBackslash) {
            escape(b);
        } else if (digitsLeft > 0) {
            digit(b);
        } else if (b == '"') {
            return true;
        } else if (b == '\\') {
            afterBackslash = true;
        } else if (b < 0) {
            begin(b & 0xFF);
        } else {
            JsonScanner.require(b >= ' ');
            keep(b);
        }
        return false;
    }

    private void keep(int codePoint) {
        if (kept.length() <= charactersKept) {
            kept.appendCodePoint(codePoint);
        }
    }

    private void escape(byte b) throws RefusedException {
        afterBackslash = false;
        if (b == 'u') {
            digitsLeft = 4;
            code = 0;
            return;
        }
        int index = ESCAPES.indexOf(b);
        JsonScanner.require(index >= 0);
        keep(MEANINGS.charAt(index));
    }

    private void digit(byte b) throws RefusedException {
        int value = Character.digit(b, 16);
        JsonScanner.require(value >= 0);
        code = code * 16 + value;
        if (--digitsLeft == 0) {
            keep(code);
        }
    }

    private void begin(int first) throws RefusedException {
        JsonScanner.require(first >= 0xC2 && first <= 0xF4);
        followersLeft = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
        smallest = SMALLEST[followersLeft];
        code = first & (0x3F >> followersLeft);
    }

    private void follow(byte b) throws RefusedException {
        JsonScanner.require((b & 0xC0) == 0x80);
        code = code << 6 | (b & 0x3F);
        if (--followersLeft == 0) {
            boolean surrogate = code >= 0xD800 && code <= 0xDFFF;
            JsonScanner.require(code >= smallest && code <= 0x10FFFF && !surrogate);
            keep(code);
        }
    }
}
