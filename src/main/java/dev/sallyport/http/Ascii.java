package dev.sallyport.http;

import java.util.BitSet;

/// Character classes of RFC 9110 and RFC 3986, as sets over ASCII.
public final class Ascii {
    private static final String ALPHANUMERIC =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    /// RFC 9110, section 5.6.2.
    static final BitSet TOKEN = setOf(ALPHANUMERIC + "!#$%&'*+-.^_`|~");

    /// Narrower than a token: no server or gateway maps any of these to another name.
    static final BitSet FIELD_NAME = setOf(ALPHANUMERIC + "-");

    static final BitSet METHOD = setOf("ABCDEFGHIJKLMNOPQRSTUVWXYZ-");

    /// `pchar`, slash and question mark of RFC 3986, less the percent sign, which is checked apart.
    static final BitSet TARGET = setOf(ALPHANUMERIC + "-._~!$&'()*+,;=:@/?");

    /// What clients that follow the WHATWG's URL standard leave as it is in a query, besides
    /// [#TARGET].
    static final BitSet QUERY = setOf(ALPHANUMERIC + "-._~!$&'()*+,;=:@/?[]{}|^`\\");

    static final BitSet DIGIT = setOf("0123456789");

    static final BitSet HOST = setOf(ALPHANUMERIC + ".-");

    /// Of an address of IPv6.
    static final BitSet ADDRESS = setOf("0123456789ABCDEFabcdef:.");

    private Ascii() {}

    private static BitSet setOf(String characters) {
        BitSet set = new BitSet(128);
        characters.chars().forEach(set::set);
        return set;
    }

    public static boolean isToken(String text) {
        return consistsOf(TOKEN, text);
    }

    public static boolean areDigits(String text) {
        return consistsOf(DIGIT, text);
    }

    /// True when `text` is not empty and made of `set` only.
    static boolean consistsOf(BitSet set, String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!set.get(text.charAt(i))) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    /// True when no character of `text` is beyond ASCII, or the last control character.
    static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x7f) {
                return false;
            }
        }
        return true;
    }

    /// The value of a hex digit, or -1.
    static int hex(int c) {
        if (c >= '0' && c <= '9') {
            return c - '0';
        }
        int lower = c | 0x20;
        return lower >= 'a' && lower <= 'f' && c < 128 ? lower - 'a' + 10 : -1;
    }
}
