package dev.sallyport.http;

import java.util.Set;

/// What a field of HTTP/2 has to be like so that the same field of HTTP/1.1 says the same (RFC
/// 9113, section 8.2). Whatever is a pseudo field is not one of these.
public final class Http2Field {
    /// About a connection, which in HTTP/2 has other means (RFC 9113, section 8.2.2).
    private static final Set<String> OF_A_CONNECTION =
            Set.of(
                    "connection",
                    "http2-settings",
                    "keep-alive",
                    "proxy-connection",
                    "transfer-encoding",
                    "upgrade");

    private Http2Field() {}

    public static boolean isRegular(String name, String value) {
        return isClean(value)
                && name.chars().noneMatch(c -> c >= 'A' && c <= 'Z')
                && Ascii.isToken(name)
                && !OF_A_CONNECTION.contains(name);
    }

    /// No control byte, and no blank at either end, where HTTP/1.1 would lose it.
    static boolean isClean(String value) {
        boolean printable = value.chars().allMatch(c -> c == '\t' || (c >= 0x20 && c != 0x7f));
        return printable && value.equals(value.strip());
    }
}
