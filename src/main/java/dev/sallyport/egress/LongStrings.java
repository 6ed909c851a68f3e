package dev.sallyport.egress;

import dev.sallyport.egress.JsonGate.DeniedException;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/// Shows a parser only the beginning of long strings, because it keeps each string whole, and a
/// request to a model may have a picture of many megabytes in one.
///
/// What is left out has been checked as far as it decides where the string ends: escapes, and the
/// lengths of UTF-8 sequences.
final class LongStrings {
    static final int BYTES_KEPT = 65_536;

    private static final String ESCAPED = "\"\\/bfnrtu";

    private boolean afterComma;
    private boolean inString;
    private boolean afterBackslash;
    private int hexDigitsLeft;
    private int sequenceLeft;
    private int length;

    /// Whether the rest of the string is left out.
    private boolean left;

    /// A copy of the piece without the ends of strings that are too long; the piece is left alone.
    byte[] shortened(ByteBuf piece) throws DeniedException {
        byte[] shown = new byte[piece.readableBytes()];
        int count = 0;
        for (int i = piece.readerIndex(); i < piece.writerIndex(); i++) {
            byte b = piece.getByte(i);
            if (isShown(b)) {
                shown[count++] = b;
            }
        }
        return Arrays.copyOf(shown, count);
    }

    private boolean isShown(byte b) throws DeniedException {
        if (!inString) {
            outside(b);
            return true;
        }
        boolean whole = !afterBackslash && hexDigitsLeft == 0 && sequenceLeft == 0;
        if (whole && b == '"') {
            inString = false;
            return true;
        }
        left |= whole && length >= BYTES_KEPT;
        length += left ? 0 : 1;
        advance(b);
        return !left;
    }

    /// The parser skips a byte order mark, and takes a comma before a closing bracket when the two
    /// come in different pieces.
    private void outside(byte b) throws DeniedException {
        require(b >= 0 && !(afterComma && (b == '}' || b == ']')));
        afterComma = b == ',' || (afterComma && b <= ' ');
        inString = b == '"';
        length = 0;
        left = false;
    }

    private void advance(byte b) throws DeniedException {
        if (sequenceLeft > 0) {
            require((b & 0xC0) == 0x80);
            sequenceLeft--;
        } else if (afterBackslash) {
            require(ESCAPED.indexOf(b) >= 0);
            afterBackslash = false;
            hexDigitsLeft = b == 'u' ? 4 : 0;
        } else if (hexDigitsLeft > 0) {
            require(Character.digit(b, 16) >= 0);
            hexDigitsLeft--;
        } else if (b == '\\') {
            afterBackslash = true;
        } else if (b < 0) {
            sequenceLeft = followers(b & 0xFF);
        } else {
            require(b >= ' ');
        }
    }

    private static int followers(int first) throws DeniedException {
        require(first >= 0xC2 && first <= 0xF4);
        if (first < 0xE0) {
            return 1;
        }
        return first < 0xF0 ? 2 : 3;
    }

    private static void require(boolean holds) throws DeniedException {
        if (!holds) {
            throw new DeniedException();
        }
    }
}
