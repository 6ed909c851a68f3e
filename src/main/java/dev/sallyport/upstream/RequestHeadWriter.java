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

/// Writes the head of a request from its checked parts; no field of the sandbox's request is ever
/// copied.
final class RequestHeadWriter {
    private static final String USER_AGENT = "git/2.50 sallyport/0.1";

    private RequestHeadWriter() {}

    static HttpRequest write(UpstreamRequest request, String target, CredentialBook credentials) {
        HttpRequest head =
                new DefaultHttpRequest(
                        HttpVersion.HTTP_1_1, HttpMethod.valueOf(request.method()), target);
        HttpHeaders headers = head.headers();
        headers.set(HttpHeaderNames.HOST, request.permit().host().value());
        headers.set(HttpHeaderNames.USER_AGENT, USER_AGENT);
        headers.set(HttpHeaderNames.ACCEPT_ENCODING, HttpHeaderValues.IDENTITY);
        request.fields().forEach(headers::set);
        frame(headers, request.framing());
        headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        credentials.authorize(request.permit(), headers);
        return head;
    }

    private static void frame(HttpHeaders headers, BodyFraming framing) {
        switch (framing) {
            case BodyFraming.None _ -> {}
            case BodyFraming.Sized(long bytes) ->
                    headers.set(HttpHeaderNames.CONTENT_LENGTH, bytes);
            case BodyFraming.Chunked _ ->
                    headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        }
    }
}
