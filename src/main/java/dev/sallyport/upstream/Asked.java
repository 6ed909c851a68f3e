package dev.sallyport.upstream;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.Permit;
import dev.sallyport.policy.Refusal;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
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

    /// Methods of which servers expect to be told that there is no body.
    private static final Set<String> BODIED = Set.of("POST", "PUT", "PATCH");

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

    /// The head of the request. The secret, if there is one, comes last, so that nothing of the
    /// sandbox's can stand in its place.
    ///
    /// @throws IllegalStateException when the secret is gone
    HttpRequest head(CredentialBook credentials) {
        HttpRequest head =
                new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.valueOf(method), target);
        HttpHeaders headers = head.headers();
        fields.forEach(headers::set);
        headers.set(HttpHeaderNames.HOST, place.authority());
        // Who asks for trailers says so of the connection, too (RFC 9110, section 10.1.4).
        headers.set(
                HttpHeaderNames.CONNECTION,
                fields.containsKey("te") ? "keep-alive, te" : "keep-alive");
        if (isWebSocket()) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
            headers.set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
        }
        frame(headers);
        switch (permit) {
            case GitPermit git -> credentials.authorize(git, headers);
            case ApiPermit api -> credentials.authorize(api, headers);
            case EgressPermit egress -> credentials.inject(egress, head);
        }
        return head;
    }

    private void frame(HttpHeaders headers) {
        switch (framing) {
            case BodyFraming.None _ -> {
                if (BODIED.contains(method)) {
                    headers.set(HttpHeaderNames.CONTENT_LENGTH, 0);
                }
            }
            case BodyFraming.Sized(long bytes) ->
                    headers.set(HttpHeaderNames.CONTENT_LENGTH, bytes);
            case BodyFraming.Chunked _ ->
                    headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        }
    }
}
