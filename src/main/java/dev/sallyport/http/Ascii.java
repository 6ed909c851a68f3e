package dev.sallyport.http;

import java.util.BitSet;

/// Character classes of RFC 9110 and RFC 3986, as sets over ASCII.
final class Ascii {
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

    private Ascii() {}

    private static BitSet setOf(String characters) {
        BitSet set = new BitSet(128);
        characters.chars().forEach(set::set);
        return set;
    }

    /// True when `text` is not empty and made of `set` only.
    static boolean consistsOf(BitSet set, String text) {
        return !text.isEmpty() && text.chars().allMatch(set::get);
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
