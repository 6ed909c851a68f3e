package dev.sallyport.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.control.ApiJson;
import io.github.bucket4j.Bucket;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.cookie.Cookie;
import io.netty.handler.codec.http.cookie.ServerCookieDecoder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// What the page answers, and to whom: its files to every connection of a known account, everything
/// else to its sessions.
final class PageDoor {
    private static final System.Logger LOG = System.getLogger(PageDoor.class.getName());
    private static final ObjectMapper JSON = ApiJson.requests();
    private static final int REQUESTS_AT_ONCE_MAX = 300;
    private static final int REQUESTS_PER_SECOND_MAX = 50;

    private final PageGuard guard;
    private final PageCookie cookies;
    private final PageSessions sessions;
    private final LiveFeed feed;
    private final AuditProof proof;
    private final Desk desk;
    private final PageFiles files = new PageFiles();
    private final Bucket rate =
            Bucket.builder()
                    .addLimit(
                            limit ->
                                    limit.capacity(REQUESTS_AT_ONCE_MAX)
                                            .refillGreedy(
                                                    REQUESTS_PER_SECOND_MAX, Duration.ofSeconds(1)))
                    .build();

    PageDoor(int port, PageSessions sessions, LiveFeed feed, AuditProof proof, Desk desk) {
        this.guard = new PageGuard(Page.ADDRESS + ":" + port);
        this.cookies = new PageCookie(port);
        this.sessions = sessions;
        this.feed = feed;
        this.proof = proof;
        this.desk = desk;
    }

    /// What a browser sends to log in.
    record Login(String link) {}

    /// Answer to it.
    ///
    /// @param question id of the one that the link leads to; empty for none
    record LoggedIn(String question) {}

    /// Answer of `GET /v1/session`.
    record Whose(String account) {}

    PageCookie cookies() {
        return cookies;
    }

    LiveFeed feed() {
        return feed;
    }

    Optional<HttpResponseStatus> objection(FullHttpRequest request) {
        return guard.objection(request)
                .or(
                        () ->
                                rate.tryConsume(1)
                                        ? Optional.empty()
                                        : Optional.of(HttpResponseStatus.TOO_MANY_REQUESTS));
    }

    boolean isOpen(PageCall call) {
        return call.cookies().stream().anyMatch(cookie -> sessions.isOpen(cookie, call.uid()));
    }

    /// Blocks.
    FullHttpResponse answer(PageCall call) {
        try {
            if (!PageGuard.isData(call.path())) {
                return file(call);
            }
            if (call.is(HttpMethod.POST, "/v1/login")) {
                return login(call);
            }
            return isOpen(call) ? data(call) : PageAnswer.refusal(HttpResponseStatus.UNAUTHORIZED);
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the page failed", e);
            return PageAnswer.refusal(HttpResponseStatus.INTERNAL_SERVER_ERROR);
        }
    }

    private FullHttpResponse file(PageCall call) {
        return files.find(call.path())
                .filter(_ -> call.method().equals(HttpMethod.GET))
                .map(Supplier::get)
                .orElseGet(() -> PageAnswer.refusal(HttpResponseStatus.NOT_FOUND));
    }

    private FullHttpResponse login(PageCall call) throws JsonProcessingException {
        Optional<String> link = link(call.body());
        Optional<PageSessions.Ticket> ticket = link.flatMap(l -> sessions.find(l, call.uid()));
        if (ticket.filter(this::leadsSomewhere).isEmpty()) {
            return PageAnswer.refusal(HttpResponseStatus.UNAUTHORIZED);
        }
        if (!desk.recordsLogin(call.uid())) {
            return PageAnswer.refusal(HttpResponseStatus.SERVICE_UNAVAILABLE);
        }
        Optional<String> session = sessions.login(link.orElseThrow(), call.uid());
        if (session.isEmpty()) {
            return PageAnswer.refusal(HttpResponseStatus.UNAUTHORIZED);
        }
        return with(cookies.set(session.get()), json(new LoggedIn(ticket.get().question())));
    }

    private boolean leadsSomewhere(PageSessions.Ticket ticket) {
        return ticket.question().isEmpty() || desk.isOpen(ticket.question());
    }

    private static Optional<String> link(String body) {
        try {
            return Optional.of(JSON.readValue(body, Login.class).link());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private FullHttpResponse data(PageCall call) throws IOException {
        if (call.is(HttpMethod.POST, "/v1/logout")) {
            call.cookies().forEach(sessions::logout);
            return with(cookies.clear(), PageAnswer.json(HttpResponseStatus.OK, "{}"));
        }
        if (call.is(HttpMethod.GET, "/v1/session")) {
            return json(new Whose(desk.account(call.uid())));
        }
        if (call.is(HttpMethod.GET, "/v1/activity")) {
            return json(feed.lately());
        }
        if (call.is(HttpMethod.GET, "/v1/proof")) {
            return json(proof.now());
        }
        byte[] body = call.body().getBytes(StandardCharsets.UTF_8);
        Desk.Answer answer = desk.answer(call.method(), call.path(), body, call.uid());
        return PageAnswer.json(HttpResponseStatus.valueOf(answer.status()), answer.body());
    }

    private static FullHttpResponse json(Object document) throws JsonProcessingException {
        return PageAnswer.json(HttpResponseStatus.OK, JSON.writeValueAsString(document));
    }

    private static FullHttpResponse with(String cookie, FullHttpResponse response) {
        response.headers().set(HttpHeaderNames.SET_COOKIE, cookie);
        return response;
    }

    /// The cookie of a session. Browsers keep no ports apart, so its name has the port: two pages
    /// on one machine do not end each other's sessions.
    record PageCookie(int port) {
        String name() {
            return "sallyport-" + port;
        }

        List<String> of(HttpHeaders headers) {
            return headers.getAll(HttpHeaderNames.COOKIE).stream()
                    .flatMap(field -> ServerCookieDecoder.STRICT.decodeAll(field).stream())
                    .filter(cookie -> cookie.name().equals(name()))
                    .map(Cookie::value)
                    .toList();
        }

        String set(String session) {
            return text(session, PageSessions.SESSION_LIFE);
        }

        String clear() {
            return text("", Duration.ZERO);
        }

        private String text(String value, Duration life) {
            return "%s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict"
                    .formatted(name(), value, life.toSeconds());
        }
    }

    /// The files of the page, which are the same for everybody and hold nothing of anybody's.
    static final class PageFiles {
        private static final Map<String, String> NAMES =
                Map.of(
                        "/", "index.html",
                        "/page.css", "page.css",
                        "/page.js", "page.js",
                        "/parts.js", "parts.js",
                        "/feed.js", "feed.js",
                        "/approvals.js", "approvals.js",
                        "/icon.svg", "icon.svg");

        private static final Map<String, String> TYPES =
                Map.of(
                        "html", "text/html; charset=utf-8",
                        "css", "text/css; charset=utf-8",
                        "js", "text/javascript; charset=utf-8",
                        "svg", "image/svg+xml");

        private final Map<String, Supplier<FullHttpResponse>> files = new HashMap<>();

        PageFiles() {
            NAMES.forEach((path, name) -> files.put(path, load(name)));
        }

        /// Answers with the file, which is never changed.
        Optional<Supplier<FullHttpResponse>> find(String path) {
            return Optional.ofNullable(files.get(path));
        }

        private static Supplier<FullHttpResponse> load(String name) {
            try (InputStream in = PageFiles.class.getResourceAsStream(name)) {
                if (in == null) {
                    throw new IllegalStateException("the page lacks its file " + name);
                }
                String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "");
                byte[] bytes = in.readAllBytes();
                return () -> PageAnswer.of(HttpResponseStatus.OK, type, bytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /// Tells requests of the page itself from those that another site has made the browser send.
    /// Every request passes here before anything else looks at it.
    ///
    /// @param authority the one name that this server has: a name that was rebound to this address
    ///   (DNS rebinding) says another one
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
            return isOwn(request, asks)
                    ? Optional.empty()
                    : Optional.of(HttpResponseStatus.FORBIDDEN);
        }

        /// Other ports of this address are the same site to a browser, and may be anybody's: only
        /// the same origin will do. `none` is a link that the person opened, which changes nothing.
        /// Every browser of today says which it is; whoever does not is refused.
        private boolean isOwn(HttpRequest request, boolean asks) {
            List<String> site = request.headers().getAll(SITE);
            List<String> origin = request.headers().getAll(HttpHeaderNames.ORIGIN);
            boolean sameOrigin = site.equals(List.of("same-origin"));
            if (asks) {
                boolean opened = site.equals(List.of("none")) && !isData(request.uri());
                return (sameOrigin || opened)
                        && (origin.isEmpty() || origin.equals(List.of(origin())));
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

    /// One request that the guard let pass.
    ///
    /// @param cookies values of the session's cookie: a server on another port can add to them
    /// @param uid of the account at the other end
    record PageCall(HttpMethod method, String path, List<String> cookies, String body, int uid) {
        boolean is(HttpMethod wanted, String wantedPath) {
            return method.equals(wanted) && path.equals(wantedPath);
        }
    }
}
