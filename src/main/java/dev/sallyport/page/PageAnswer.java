package dev.sallyport.page;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/// Writes answers. All have the same fields that tell the browser what it must not do with them.
final class PageAnswer {
    /// Nothing inline, nothing from elsewhere, no frames, no forms: a hostile value that got into
    /// the page as markup in spite of everything would still find nothing to do.
    static final String CONTENT_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
                    + " connect-src 'self'; base-uri 'none'; form-action 'none';"
                    + " frame-ancestors 'none'; require-trusted-types-for 'script';"
                    + " trusted-types 'none'";

    static FullHttpResponse of(HttpResponseStatus status, String type, byte[] body) {
        FullHttpResponse response =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body));
        protect(response.headers());
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .set(HttpHeaderNames.CONTENT_LENGTH, body.length);
        return response;
    }

    static FullHttpResponse json(HttpResponseStatus status, String body) {
        return of(status, "application/json", body.getBytes(StandardCharsets.UTF_8));
    }

    /// A refusal says nothing but its status.
    static FullHttpResponse refusal(HttpResponseStatus status) {
        byte[] text = (status.reasonPhrase() + "\n").getBytes(StandardCharsets.US_ASCII);
        return of(status, "text/plain; charset=utf-8", text);
    }

    /// The head of a stream of events.
    static HttpResponse stream() {
        HttpResponse response =
                new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        protect(response.headers());
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "text/event-stream")
                .set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        return response;
    }

    private static void protect(HttpHeaders headers) {
        headers.set(HttpHeaderNames.CONTENT_SECURITY_POLICY, CONTENT_POLICY)
                .set("x-content-type-options", "nosniff")
                .set("x-frame-options", "DENY")
                .set("referrer-policy", "no-referrer")
                .set("cross-origin-opener-policy", "same-origin")
                .set("cross-origin-resource-policy", "same-origin")
                .set("permissions-policy", "camera=(), geolocation=(), microphone=()")
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store");
    }
}
