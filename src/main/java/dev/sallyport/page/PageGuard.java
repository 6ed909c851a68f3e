package dev.sallyport.page;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import java.util.Optional;

/// Tells requests of the page itself from those that another site has made the browser send. Every
/// request passes here before anything else looks at it.
///
/// @param authority the one name that this server has: a name that was rebound to this address (DNS
///   rebinding) says another one
record PageGuard(String authority) {
    private static final String SITE = "sec-fetch-site";
    private static final String JSON = "application/json";

    String origin() {
        return "http://" + authority;
    }

    /// The status of the refusal; empty for what may go on.
    Optional<HttpResponseStatus> objection(HttpRequest request) {
        if (request.decoderResult().isFailure()
                || !request.protocolVersion().equals(HttpVersion.HTTP_1_1)
                || !request.uri().startsWith("/")) {
            return Optional.of(HttpResponseStatus.BAD_REQUEST);
        }
        if (!request.headers().getAll(HttpHeaderNames.HOST).equals(List.of(authority))) {
            return Optional.of(HttpResponseStatus.MISDIRECTED_REQUEST);
        }
        boolean asks = request.method().equals(HttpMethod.GET);
        if (!asks && !request.method().equals(HttpMethod.POST)) {
            return Optional.of(HttpResponseStatus.METHOD_NOT_ALLOWED);
        }
        return isOwn(request, asks) ? Optional.empty() : Optional.of(HttpResponseStatus.FORBIDDEN);
    }

    /// Other ports of this address are the same site to a browser, and may be anybody's: only the
    /// same origin will do. `none` is a link that the person opened, which changes nothing. Every
    /// browser of today says which it is; whoever does not is refused.
    private boolean isOwn(HttpRequest request, boolean asks) {
        List<String> site = request.headers().getAll(SITE);
        List<String> origin = request.headers().getAll(HttpHeaderNames.ORIGIN);
        boolean sameOrigin = site.equals(List.of("same-origin"));
        if (asks) {
            boolean opened = site.equals(List.of("none")) && !isData(request.uri());
            return (sameOrigin || opened) && (origin.isEmpty() || origin.equals(List.of(origin())));
        }
        return sameOrigin
                && origin.equals(List.of(origin()))
                && request.headers().getAll(HttpHeaderNames.CONTENT_TYPE).equals(List.of(JSON));
    }

    /// What the page's scripts ask for, as against its files.
    static boolean isData(String uri) {
        return uri.startsWith("/v1/");
    }
}
