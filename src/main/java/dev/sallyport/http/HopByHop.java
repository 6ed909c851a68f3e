package dev.sallyport.http;

import java.util.Set;

/// Fields that are about one connection and never go beyond it, in either direction (RFC 9110,
/// section 7.6.1, and what older clients and HTTP/2 added).
public final class HopByHop {
    private static final Set<String> NAMES =
            Set.of(
                    "connection",
                    "http2-settings",
                    "keep-alive",
                    "proxy-authenticate",
                    "proxy-authentication-info",
                    "proxy-authorization",
                    "proxy-connection",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade");

    private HopByHop() {}

    /// Whether the field with this name, in lower case, stays on its connection.
    public static boolean has(String name) {
        return NAMES.contains(name);
    }
}
