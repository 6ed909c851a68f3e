package dev.sallyport.upstream;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.http.BodyFraming;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Set;

/// Writes the head of a request from its checked parts. The secret, if the rule has one, comes
/// last, so that nothing of the sandbox's can stand in its place.
final class WebHeadWriter {
    /// Methods of which servers expect to be told that there is no body.
    private static final Set<String> BODIED = Set.of("POST", "PUT", "PATCH");

    private WebHeadWriter() {}

    /// @throws IllegalStateException when the secret is gone
    static HttpRequest write(WebOrder order, CredentialBook credentials) {
        HttpRequest head =
                new DefaultHttpRequest(
                        HttpVersion.HTTP_1_1, HttpMethod.valueOf(order.method()), order.target());
        HttpHeaders headers = head.headers();
        order.fields().forEach((name, value) -> headers.set(name, value.replace('\t', ' ')));
        headers.set(HttpHeaderNames.HOST, order.authority());
        headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
        if (order.websocket()) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
            headers.set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
        }
        frame(headers, order);
        credentials.inject(order.permit(), head);
        return head;
    }

    private static void frame(HttpHeaders headers, WebOrder order) {
        switch (order.framing()) {
            case BodyFraming.None _ -> {
                if (BODIED.contains(order.method())) {
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
