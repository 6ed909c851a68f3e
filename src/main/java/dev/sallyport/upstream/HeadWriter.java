package dev.sallyport.upstream;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.GitPermit;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Set;

/// Writes the head of a request from its checked parts. The secret, if there is one, comes last, so
/// that nothing of the sandbox's can stand in its place.
final class HeadWriter {
    /// Methods of which servers expect to be told that there is no body.
    private static final Set<String> BODIED = Set.of("POST", "PUT", "PATCH");

    private HeadWriter() {}

    /// @throws IllegalStateException when the secret is gone
    static HttpRequest write(Asked asked, CredentialBook credentials) {
        HttpRequest head =
                new DefaultHttpRequest(
                        HttpVersion.HTTP_1_1, HttpMethod.valueOf(asked.method()), asked.target());
        HttpHeaders headers = head.headers();
        asked.fields().forEach(headers::set);
        headers.set(HttpHeaderNames.HOST, asked.place().authority());
        // Who asks for trailers says so of the connection, too (RFC 9110, section 10.1.4).
        headers.set(
                HttpHeaderNames.CONNECTION,
                asked.fields().containsKey("te") ? "keep-alive, te" : "keep-alive");
        if (asked.isWebSocket()) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
            headers.set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
        }
        frame(headers, asked);
        switch (asked.permit()) {
            case GitPermit permit -> credentials.authorize(permit, headers);
            case ApiPermit permit -> credentials.authorize(permit, headers);
            case EgressPermit permit -> credentials.inject(permit, head);
        }
        return head;
    }

    private static void frame(HttpHeaders headers, Asked asked) {
        switch (asked.framing()) {
            case BodyFraming.None _ -> {
                if (BODIED.contains(asked.method())) {
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
