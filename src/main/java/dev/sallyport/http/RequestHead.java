package dev.sallyport.http;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/// A request head that passed every check of RFC 9112 and ours: a target of the form that the
/// listener takes, exactly one Host, no ambiguous framing, no control bytes, no repeated field that
/// must be single.
///
/// @param method upper-case token
/// @param path begins with a slash; printable ASCII, still percent-encoded as sent; empty for
///   `CONNECT`
/// @param query what follows the question mark, without it; empty when there is none
/// @param authority host and port, if one was sent, of an absolute-form target or of `CONNECT`; in
///   lower case
/// @param host value of Host in lower case, with its port if one was sent
/// @param fields lower-case names; only fields that the listener's [HeadForm] has are kept
public record RequestHead(
        String method,
        String path,
        String query,
        Optional<String> authority,
        String host,
        Map<String, String> fields,
        BodyFraming framing,
        boolean expectsContinue,
        boolean keepAlive) {
    /// The same request to another place.
    public RequestHead sentTo(String otherHost, String otherPath) {
        return new RequestHead(
                method,
                otherPath,
                query,
                authority,
                otherHost,
                fields,
                framing,
                expectsContinue,
                keepAlive);
    }

    public Optional<String> field(String lowerCaseName) {
        return Optional.ofNullable(fields.get(lowerCaseName));
    }

    /// Whether fields after an answer's body are welcome (RFC 9110, section 10.1.4).
    public boolean takesTrailers() {
        String codings = fields.get("te");
        return codings != null
                && Arrays.stream(codings.split(","))
                        .anyMatch(coding -> coding.strip().equalsIgnoreCase("trailers"));
    }

    /// Whether the answer is its head alone.
    boolean isHead() {
        return method.equals("HEAD");
    }
}
