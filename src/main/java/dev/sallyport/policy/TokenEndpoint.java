package dev.sallyport.policy;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where a login is renewed (RFC 6749, section 3.2): one URL, fixed when a person stored the login.
/// It is always spoken TLS with.
///
/// @param path without a query
public record TokenEndpoint(HostName host, int port, String path, Reach reach) {
    private static final int TLS_PORT = 443;

    /// No user, query or fragment: what they could carry is not part of where something is.
    private static final Pattern URL =
            Pattern.compile("https://([^/:]+)(?::([1-9][0-9]{0,4}))?(/[A-Za-z0-9._~/-]{0,200})");

    /// One on the public internet.
    public static TokenEndpoint parse(String url) throws MalformedNameException {
        Matcher parts = URL.matcher(url);
        if (!parts.matches()) {
            throw new MalformedNameException(
                    "a token endpoint is written as https://HOST/PATH, without user, query or fragment");
        }
        String port = parts.group(2);
        int number = port == null ? TLS_PORT : TcpTarget.port(port);
        return new TokenEndpoint(
                HostName.parse(parts.group(1)), number, parts.group(3), Reach.PUBLIC);
    }

    /// The same place, reached in another way.
    public TokenEndpoint reachedBy(Reach other) {
        return new TokenEndpoint(host, port, path, other);
    }

    /// As [#parse] reads it.
    public String url() {
        return "https://" + host + (port == TLS_PORT ? "" : ":" + port) + path;
    }
}
