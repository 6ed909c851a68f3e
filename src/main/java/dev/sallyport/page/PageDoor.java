package dev.sallyport.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.control.ApiJson;
import io.github.bucket4j.Bucket;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

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
                .map(file -> file.answer())
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
}
