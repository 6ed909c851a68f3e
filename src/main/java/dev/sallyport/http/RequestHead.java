package dev.sallyport.http;

import java.util.Map;
import java.util.Optional;

/// A request head that passed every check of RFC 9112 and ours: origin-form target, exactly one
/// Host, no ambiguous framing, no control bytes, no repeated field that must be single.
///
/// @param method upper-case token
/// @param path begins with a slash; printable ASCII, still percent-encoded as sent
/// @param query what follows the question mark, without it; empty when there is none
/// @param host value of Host in lower case, with its port if one was sent
/// @param fields lower-case names; only fields on the allowlist of the decoder are kept
public record RequestHead(
        String method,
        String path,
        String query,
        String host,
        Map<String, String> fields,
        BodyFraming framing,
        boolean expectsContinue,
        boolean keepAlive) {
    public Optional<String> field(String lowerCaseName) {
        return Optional.ofNullable(fields.get(lowerCaseName));
    }
}
