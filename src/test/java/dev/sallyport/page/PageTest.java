package dev.sallyport.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.AuditLog;
import dev.sallyport.fixture.AuditLogs;
import dev.sallyport.fixture.Await;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The page's server as a browser, or somebody who pretends to be one, meets it.
class PageTest {
    private static final int OWN = (int) new com.sun.security.auth.module.UnixSystem().getUid();

    @TempDir Path directory;
    private final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final Set<String> open = ConcurrentHashMap.newKeySet();
    private volatile boolean known = true;
    private volatile boolean recording = true;
    private AuditLog log;
    private Page page;

    private final class FakeDesk implements Desk {
        @Override
        public boolean knows(int uid) {
            return known && uid == OWN;
        }

        @Override
        public String account(int uid) {
            return "ann";
        }

        @Override
        public boolean recordsLogin(int uid) {
            return recording;
        }

        @Override
        public boolean isOpen(String question) {
            return open.contains(question);
        }

        @Override
        public Answer answer(HttpMethod method, String path, byte[] body, int uid) {
            asked.add(method + " " + path);
            return new Answer(200, "{\"secret\":\"of the owner\"}");
        }
    }

    @BeforeEach
    void open() throws IOException {
        Path file = directory.resolve("audit.jsonl");
        log = AuditLogs.open(file);
        log.append(new AuditEvent("warden.start", "", "", Map.of()));
        page =
                Page.open(
                        loops.next(),
                        0,
                        new Page.Source(file, new AuditLogs.Marks()),
                        new FakeDesk());
    }

    @AfterEach
    void close() throws IOException {
        page.close();
        log.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.ofLiteral(Page.ADDRESS), page.port());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private String host() {
        return Page.ADDRESS + ":" + page.port();
    }

    /// The whole answer; empty when the connection is closed without one.
    private String send(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    private String get(String path, String cookie) throws IOException {
        return send(
                "GET %s HTTP/1.1\r\nHost: %s\r\nSec-Fetch-Site: same-origin\r\n%sConnection: close\r\n\r\n"
                        .formatted(path, host(), field(cookie)));
    }

    private String post(String path, String body, String cookie) throws IOException {
        return send(
                ("POST %s HTTP/1.1\r\nHost: %s\r\nSec-Fetch-Site: same-origin\r\nOrigin: http://%s\r\n"
                                + "Content-Type: application/json\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s")
                        .formatted(path, host(), host(), field(cookie), body.length(), body));
    }

    private static String field(String cookie) {
        return cookie.isEmpty() ? "" : "Cookie: other=x; " + cookie + "\r\n";
    }

    private String link() {
        return secret(page.link(OWN));
    }

    private String link(String question) {
        return secret(page.link(OWN, question, Duration.ofMinutes(5)));
    }

    private static String secret(String url) {
        return url.substring(url.indexOf("#login=") + "#login=".length());
    }

    private String login(String link) throws IOException {
        return post("/v1/login", "{\"link\":\"" + link + "\"}", "");
    }

    private String session() throws IOException {
        String answer = login(link());
        String field = answer.lines().filter(l -> l.startsWith("set-cookie: ")).findFirst().get();
        return field.substring("set-cookie: ".length(), field.indexOf(';'));
    }

    private static void isStatus(String answer, int status) {
        assertThat(answer).startsWith("HTTP/1.1 " + status + " ");
    }

    @Test
    void aLinkMakesOneSessionWhoseCookieStaysWithThePage() throws IOException {
        String link = link();
        String answer = login(link);

        isStatus(answer, 200);
        assertThat(answer)
                .contains("set-cookie: sallyport-" + page.port() + "=")
                .contains("; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict\r\n");
        isStatus(login(link), 401);
        isStatus(login("x".repeat(43)), 401);
        isStatus(post("/v1/login", "{\"link\":null}", ""), 401);
        isStatus(post("/v1/login", "nonsense", ""), 401);
        assertThat(asked).isEmpty();
    }

    @Test
    void g6_aLinkToAQuestionLogsInOnceWhileThatOneIsOpenAndAnswersNothing() throws IOException {
        open.addAll(List.of("first", "second"));
        String first = link("first");
        String second = link("second");
        String late = link("first");
        isStatus(get("/", ""), 200);
        String answer = login(first);
        isStatus(answer, 200);
        assertThat(answer).contains("set-cookie: ", "{\"question\":\"first\"}");
        isStatus(login(first), 401);
        String guessed = (late.startsWith("A") ? "B" : "A") + late.substring(1);
        isStatus(login(guessed), 401);

        open.remove("first");
        assertThat(login(late)).startsWith("HTTP/1.1 401 ").doesNotContain("set-cookie");
        assertThat(login(second)).contains("{\"question\":\"second\"}");
        assertThat(asked).isEmpty();
    }

    @Test
    void everyAnswerForbidsTheBrowserWhatItDoesNotNeed() throws IOException {
        String session = session();
        for (String answer :
                List.of(
                        get("/", ""),
                        get("/page.js", ""),
                        get("/nothing", ""),
                        get("/v1/sandboxes", ""),
                        get("/v1/sandboxes", session))) {
            assertThat(answer)
                    .contains("content-security-policy: default-src 'none'; script-src 'self'")
                    .contains("frame-ancestors 'none'")
                    .contains("x-content-type-options: nosniff", "cache-control: no-store")
                    .doesNotContain("access-control-allow");
        }
        assertThat(get("/", "")).doesNotContain("<style", "style=", "onclick", "http://");
    }

    @Test
    void withoutACookieThereAreOnlyTheFiles() throws IOException {
        isStatus(get("/", ""), 200);
        for (String path : List.of("/v1/sandboxes", "/v1/activity", "/v1/proof", "/v1/events")) {
            isStatus(get(path, ""), 401);
            isStatus(get(path, "sallyport-" + page.port() + "=" + "x".repeat(43)), 401);
        }
        isStatus(post("/v1/approvals/x", "{}", ""), 401);
        assertThat(asked).isEmpty();
    }

    @Test
    void aSessionIsAnsweredUntilItIsOver() throws IOException {
        String session = session();
        assertThat(get("/v1/sandboxes", session)).contains("of the owner");
        assertThat(get("/v1/session", session)).contains("{\"account\":\"ann\"}");
        assertThat(get("/v1/proof", session)).contains("\"holds\":true", "\"lines\":1");
        isStatus(post("/v1/logout", "{}", session), 200);
        isStatus(get("/v1/sandboxes", session), 401);
        assertThat(asked).containsExactly("GET /v1/sandboxes");
    }

    @Test
    void whatIsNotThePagesOwnIsRefusedWhateverCookieItHas() throws IOException {
        String session = session();
        String right = "Host: " + host() + "\r\nSec-Fetch-Site: same-origin\r\nCookie: " + session;
        String asking = "GET /v1/sandboxes HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n";
        isStatus(send(asking.formatted(right)), 200);
        isStatus(send(asking.formatted(right.replace(host(), "evil.example"))), 421);
        isStatus(send(asking.formatted(right.replace("same-origin", "cross-site"))), 403);
        isStatus(send(asking.formatted(right.replace("same-origin", "same-site"))), 403);
        isStatus(send(asking.formatted(right + "\r\nOrigin: http://127.0.0.1:1")), 403);
        assertThat(asked).hasSize(1);
    }

    @Test
    void aConnectionOfAnotherAccountIsClosedUnread() throws IOException {
        String session = session();
        known = false;
        assertThat(get("/v1/sandboxes", session)).isEmpty();
        assertThat(get("/", session)).isEmpty();
        assertThat(asked).isEmpty();
    }

    @Test
    void aLoginThatCannotBeRecordedIsNone() throws IOException {
        recording = false;
        String link = link();
        assertThat(login(link)).startsWith("HTTP/1.1 503 ").doesNotContain("set-cookie");
        recording = true;
        isStatus(login(link), 200);
    }

    @Test
    void largeBodiesAndHeadsAreNotTaken() throws IOException {
        String session = session();
        assertThat(post("/v1/approvals/x", "x".repeat(PagePipeline.BODY_BYTES_MAX + 1), session))
                .doesNotContain(" 200 ");
        assertThat(get("/v1/sandboxes?" + "x".repeat(10_000), session)).doesNotContain(" 200 ");
        assertThat(get("/v1/sandboxes", session + "; y=" + "x".repeat(40_000)))
                .doesNotContain(" 200 ");
        assertThat(asked).isEmpty();
    }

    @Test
    void thereAreSoManyConnectionsAndNoMore() throws IOException {
        List<Socket> held = new ArrayList<>();
        try {
            for (int i = 0; i < PagePipeline.CONNECTIONS_MAX; i++) {
                held.add(connect());
            }
            try (Socket more = connect()) {
                assertThat(ended(more)).isTrue();
            }
            held.removeLast().close();
            Await.until("there is room again", () -> get("/", "").startsWith("HTTP/1.1 200 "));
        } finally {
            for (Socket socket : held) {
                socket.close();
            }
        }
    }

    private static boolean ended(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (IOException e) {
            return true;
        }
    }

    private Socket stream(String session) throws IOException {
        Socket socket = connect();
        socket.getOutputStream()
                .write(
                        "GET /v1/events HTTP/1.1\r\nHost: %s\r\nSec-Fetch-Site: same-origin\r\nCookie: %s\r\n\r\n"
                                .formatted(host(), session)
                                .getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    private static String readUntil(InputStream in, String end) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.indexOf(end) < 0) {
            int next = in.read();
            assertThat(next).as("the stream goes on: " + read).isNotNegative();
            read.append((char) next);
        }
        return read.toString();
    }

    @Test
    void whoeverLooksOnSeesEachLineAsOneEventWhateverIsInIt() throws IOException {
        String session = session();
        try (Socket socket = stream(session)) {
            InputStream in = socket.getInputStream();
            readUntil(in, "warden.start");
            String hostile = "x\n\nevent: line\ndata: {}\r\n</script><b>\u202e";
            log.append(
                    new AuditEvent(
                            "http.refused", "abc", "deny", Map.of("host", hostile, "reason", "x")));
            String event = readUntil(in, "\n\n");
            if (!event.contains("http.refused")) {
                event = readUntil(in, "\n\n");
            }
            assertThat(event).contains("http.refused").containsOnlyOnce("data: {\"seq\":2,");
            assertThat(event).contains("event: line\\ndata: {}");
        }
    }

    @Test
    void aStreamEndsWithItsSessionAndThereAreSoManyAndNoMore() throws IOException {
        String session = session();
        List<Socket> streams = new ArrayList<>();
        try {
            for (int i = 0; i < LiveFeed.STREAMS_MAX; i++) {
                streams.add(stream(session));
                readUntil(streams.getLast().getInputStream(), "warden.start");
            }
            try (Socket more = stream(session)) {
                assertThat(readUntil(more.getInputStream(), "\r\n")).contains(" 429 ");
            }
            isStatus(post("/v1/logout", "{}", session), 200);
            for (Socket socket : streams) {
                assertThat(socket.getInputStream().readAllBytes()).isNotNull();
            }
        } finally {
            for (Socket socket : streams) {
                socket.close();
            }
        }
    }

    @Test
    void aPageThatIsClosedIsGone() throws IOException {
        String session = session();
        try (Socket socket = stream(session)) {
            readUntil(socket.getInputStream(), "warden.start");
            page.close();
            assertThat(socket.getInputStream().readAllBytes()).isNotNull();
        }
        assertThat(get("/", session)).isEmpty();
    }
}
