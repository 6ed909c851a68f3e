package dev.sallyport.upstream;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.Permit;
import dev.sallyport.policy.Refusal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// One request as it goes upstream, whichever door it came through.
///
/// @param target path and query
/// @param otherwise the target to ask for when upstream does not know the first one
/// @param fields those besides host, framing, credential and whatever is about the connection
/// @param protocol what it is made in
/// @param answerType the one content type that an answer of git may have; of other answers all are
///   relayed
/// @param kept whether the gateway keeps the answer to itself, so that it may repeat the credential
record Asked(
        Permit permit,
        Place place,
        String method,
        String target,
        Optional<String> otherwise,
        Map<String, String> fields,
        BodyFraming framing,
        Protocol protocol,
        Optional<String> answerType,
        boolean kept) {
    /// Requests that may be made twice (RFC 9110, section 9.2.2), when nothing of an answer came.
    private static final Set<String> REPEATABLE = Set.of("GET", "HEAD", "OPTIONS");

    /// One target, any answer, and that is passed on.
    Asked(
            Permit permit,
            Place place,
            String method,
            String target,
            Map<String, String> fields,
            BodyFraming framing,
            Protocol protocol) {
        this(
                permit,
                place,
                method,
                target,
                Optional.empty(),
                fields,
                framing,
                protocol,
                Optional.empty(),
                false);
    }

    /// What every request in our own words says besides its own fields.
    ///
    /// @param agent who it says that it is
    static Map<String, String> fields(String agent, Map<String, String> fields) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("user-agent", agent);
        all.put("accept-encoding", "identity");
        all.putAll(fields);
        return all;
    }


    boolean hasBody() {
        return switch (framing) {
            case BodyFraming.None _ -> false;
            case BodyFraming.Sized(long bytes) -> bytes > 0;
            case BodyFraming.Chunked _ -> true;
        };
    }

    boolean isRepeatable() {
        return !hasBody() && REPEATABLE.contains(method);
    }

    /// Why it cannot be made when its credential is not to be had.
    Refusal withoutCredential() {
        return permit instanceof EgressPermit
                ? Refusal.LOGIN_NOT_RENEWED
                : Refusal.CREDENTIAL_MISSING;
    }

    boolean isForGit() {
        return permit instanceof GitPermit;
    }

    boolean isWebSocket() {
        return protocol == Protocol.WEBSOCKET;
    }

    /// The same under its other name.
    Asked again(String other) {
        return new Asked(
                permit,
                place,
                method,
                other,
                Optional.empty(),
                fields,
                framing,
                protocol,
                answerType,
                kept);
    }
}
