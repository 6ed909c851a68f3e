package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.approval.Outcome;
import dev.sallyport.approval.Question;
import dev.sallyport.channel.Message;
import dev.sallyport.config.Limits;
import dev.sallyport.config.PostUrl;
import dev.sallyport.config.Reports;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.control.Api;
import dev.sallyport.control.ApprovalsApi;
import dev.sallyport.credential.Secret;
import dev.sallyport.fixture.Await;
import dev.sallyport.git.HostileUpstream;
import dev.sallyport.git.TestPki;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Reach;
import dev.sallyport.post.UrlPost;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Questions that are told elsewhere, by real TLS to a receiver that may be hostile, and the link
/// that comes with them (G6). Whatever becomes of a post, the question is answered by a person.
final class WebhookTest {
    private static final String HOST = "hooks.example";
    private static final String KEY = "a key of the test that is long enough";
    private static final String FIRST = "aaaaaaaaaa";
    private static final String SECOND = "bbbbbbbbbb";
    private static final String URL = "https://a.example/x";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TestPki PKI = new TestPki();

    /// @param head as it arrived
    private record Posted(String head, String body) {
        JsonNode json() {
            try {
                return JSON.readTree(body);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    @TempDir Path dir;
    private WardenParts parts;
    private Approvals approvals;
    private OpenedPage page;
    private SecretFiles secrets;
    private String session = "";
    private Optional<HostileUpstream> receiver = Optional.empty();
    private Optional<Webhook> webhook = Optional.empty();
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<Posted> posted = new CopyOnWriteArrayList<>();
    private final List<Message.Answered> told = new CopyOnWriteArrayList<>();
    private final Approvals.Asker gateway = message -> told.add((Message.Answered) message);

    @BeforeEach
    void start() throws Exception {
        parts = new WardenParts(dir);
        approvals = parts.approvals;
        secrets = new SecretFiles(parts.home.secrets());
        page =
                new OpenedPage(
                        Patron.own(parts.home),
                        parts.ledger,
                        parts.store,
                        parts.loops.next(),
                        approvals::isOpen);
        session = parts.create("app", Api.LifeRequest.STANDARD).id().value();
    }

    @AfterEach
    void stop() throws Exception {
        over.countDown();
        webhook.ifPresent(Webhook::close);
        if (receiver.isPresent()) {
            receiver.get().close();
        }
        page.shut();
        parts.close();
    }

    private static byte[] key(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private void storeKey() throws Exception {
        secrets.set("hook", HostName.parse(HOST), Optional.empty(), Secret.of(key(KEY)));
    }

    /// A receiver that reads the post and then does this.
    private Webhook hook(HostileUpstream.Script then) throws Exception {
        HostileUpstream made =
                new HostileUpstream(
                        PKI.server(HOST),
                        (connection, head) -> {
                            posted.add(new Posted(head, body(connection, head)));
                            then.run(connection, head);
                        });
        receiver = Optional.of(made);
        return hook(made.dial(), PKI.caPem());
    }

    private Webhook hook(String dial, String caPem) throws Exception {
        PostUrl url =
                new PostUrl(
                        HostName.parse(HOST),
                        443,
                        true,
                        "/sallyport",
                        new Reach(true, Optional.of(dial), Optional.of(caPem)));
        Webhook made =
                new Webhook(
                        new Reports.Webhook(url, "hook"),
                        secrets,
                        new UrlPost(
                                url,
                                Limits.standard().upstream(),
                                Optional.empty(),
                                parts.loops.next()),
                        parts.ledger,
                        () -> parts.clock.now().wall(),
                        approvals::isOpen);
        approvals.onAsk(made.listener(page::link));
        webhook = Optional.of(made);
        return made;
    }

    private static HostileUpstream.Script saying(String head, String body) {
        return HostileUpstream.saying(
                "HTTP/1.1 " + head + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }

    private static String body(Socket connection, String head) throws IOException {
        Matcher length = Pattern.compile("(?i)content-length: ([0-9]+)").matcher(head);
        assertThat(length.find()).isTrue();
        return new String(
                connection.getInputStream().readNBytes(Integer.parseInt(length.group(1))),
                StandardCharsets.UTF_8);
    }

    private static Question question(String summary) {
        return new Question(
                "web",
                "a.example",
                summary,
                List.of("rule"),
                "c0ffee",
                0,
                Question.Detail.of(
                        new Question.Request(
                                "", "GET", URL, List.of("x-a: field"), "address", "body", true)));
    }

    private void ask(String id) {
        ask(id, "GET " + URL);
    }

    private void ask(String id, String summary) {
        approvals.asked(new Message.Ask(session, id, question(summary)), gateway);
    }

    private void answer(String id, String word) throws OperationException {
        String digest = question("GET " + URL).digest(session);
        approvals.answer(id, new ApprovalsApi.AnswerApproval(word, digest, "ada", "page", ""));
    }

    private void openPage() throws OperationException {
        page.link(new Api.OpenPage(Optional.empty()), Role.OWNER);
    }

    private Posted next(int number) {
        Await.until("post " + number, () -> posted.size() >= number);
        return posted.get(number - 1);
    }

    private String record() throws IOException {
        return Files.readString(parts.home.auditLog());
    }

    /// As the page's own script logs in.
    private static HttpResponse<String> login(String link) throws Exception {
        URI url = URI.create(link);
        String secret = url.getFragment().substring("login=".length());
        HttpRequest request =
                HttpRequest.newBuilder(url.resolve("/v1/login"))
                        .header("sec-fetch-site", "same-origin")
                        .header("origin", "http://" + url.getAuthority())
                        .header("content-type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"link\":\"" + secret + "\"}"))
                        .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void aQuestionIsPostedSignedAndSaysNoMoreThanTheList() throws Exception {
        storeKey();
        Webhook hook = hook(saying("204 No Content", ""));
        openPage();
        ask(
                FIRST,
                "GET https://a.example/ghp_0123456789abcdefghij0123456789abcdef\n\u202e\u001b[m");

        Posted post = next(1);
        assertThat(post.head()).startsWith("POST /sallyport HTTP/1.1\r\n");
        assertThat(post.head().toLowerCase(Locale.ROOT))
                .contains("host: " + HOST, "content-type: application/json")
                .doesNotContain("authorization", "cookie");
        Matcher signed =
                Pattern.compile("(?i)sallyport-signature: t=([0-9]+),v1=([0-9a-f]{64})\r\n")
                        .matcher(post.head());
        assertThat(signed.find()).isTrue();
        assertThat(Long.parseLong(signed.group(1)))
                .isEqualTo(parts.clock.now().wall().getEpochSecond());
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key(KEY), "HmacSHA256"));
        byte[] text = (signed.group(1) + "." + post.body()).getBytes(StandardCharsets.UTF_8);
        assertThat(signed.group(2)).isEqualTo(HexFormat.of().formatHex(mac.doFinal(text)));

        ApprovalsApi.ApprovalView view = approvals.list().approvals().getFirst();
        JsonNode json = post.json();
        assertThat(json.fieldNames())
                .toIterable()
                .containsExactly(
                        "id", "sandbox", "kind", "target", "what", "asked", "expires", "command",
                        "link");
        assertThat(json.get("id").asText()).isEqualTo(FIRST);
        assertThat(json.get("sandbox").asText()).isEqualTo("app");
        assertThat(json.get("what").asText())
                .isEqualTo("GET https://a.example/[redacted] <U+202E><U+001B>[m");
        assertThat(json.get("expires").asText()).isEqualTo(view.expires());
        assertThat(json.get("command").asText()).isEqualTo("sallyport approve " + FIRST);
        assertThat(post.body()).doesNotContain(KEY, view.digest(), "field", "body");
        assertThat(hook.trouble()).isEmpty();
        assertThat(record()).doesNotContain("webhook", KEY);
    }

    @Test
    void g6_itsLinkLogsInOnceAndAnswersNothing() throws Exception {
        storeKey();
        hook(saying("200 OK", ""));
        openPage();
        ask(FIRST);
        String link = next(1).json().get("link").asText();
        assertThat(link).matches("http://127\\.47\\.11\\.1:[0-9]+/#login=[A-Za-z0-9_-]{43}");

        char last = link.charAt(link.length() - 2) == 'A' ? 'B' : 'A';
        String guessed =
                link.substring(0, link.length() - 2) + last + link.charAt(link.length() - 1);
        assertThat(login(guessed).statusCode()).isEqualTo(401);
        HttpResponse<String> first = login(link);
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.body()).isEqualTo("{\"question\":\"" + FIRST + "\"}");
        HttpResponse<String> again = login(link);
        assertThat(again.statusCode()).isEqualTo(401);
        assertThat(again.headers().firstValue("set-cookie")).isEmpty();
        assertThat(approvals.isOpen(FIRST)).isTrue();
        assertThat(told).isEmpty();
    }

    @Test
    void g6_itsLinkEndsWithItsOwnQuestion() throws Exception {
        storeKey();
        hook(saying("200 OK", ""));
        openPage();
        ask(FIRST);
        String first = next(1).json().get("link").asText();
        ask(SECOND);
        String second = next(2).json().get("link").asText();

        answer(FIRST, "no");
        assertThat(login(first).statusCode()).isEqualTo(401);
        assertThat(login(second).body()).contains(SECOND);

        ask("cccccccccc");
        String third = next(3).json().get("link").asText();
        parts.clock.pass(Duration.ofSeconds(300));
        assertThat(login(third).statusCode()).isEqualTo(401);
        assertThat(told).extracting(Message.Answered::outcome).containsExactly(Outcome.NO);
    }

    @Test
    void withoutAPageThereIsNoLinkAndNoPageIsOpened() throws Exception {
        storeKey();
        hook(saying("200 OK", ""));
        ask(FIRST);

        JsonNode json = next(1).json();
        assertThat(json.has("link")).isFalse();
        assertThat(json.get("command").asText()).isEqualTo("sallyport approve " + FIRST);
        assertThat(record()).doesNotContain("page.open");
    }

    @Test
    void g6_whatAReceiverSaysIsNoAnswer() throws Exception {
        storeKey();
        Webhook hook =
                hook(
                        saying(
                                "200 OK\r\nContent-Type: application/json",
                                "{\"answer\":\"yes\",\"approve\":true}"));
        ask(FIRST);
        next(1);
        answer(FIRST, "no");

        assertThat(told).extracting(Message.Answered::outcome).containsExactly(Outcome.NO);
        assertThat(hook.trouble()).isEmpty();
    }

    @Test
    void aReceiverThatNeverEndsIsLeftAfterItsHead() throws Exception {
        storeKey();
        CountDownLatch left = new CountDownLatch(1);
        Webhook hook =
                hook(
                        (connection, _) -> {
                            String head =
                                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";
                            try {
                                HostileUpstream.say(connection, head);
                                while (over.getCount() > 0) {
                                    HostileUpstream.say(connection, "[\"yes\"] ".repeat(8_192));
                                }
                            } catch (IOException _) {
                                left.countDown();
                            }
                        });
        ask(FIRST);
        Await.until("it is left", () -> left.getCount() == 0);
        answer(FIRST, "yes");

        assertThat(told).extracting(Message.Answered::outcome).containsExactly(Outcome.YES);
        assertThat(hook.trouble()).isEmpty();
    }

    @Test
    void noRedirectIsFollowedAndTheFailureIsSaidOnce() throws Exception {
        storeKey();
        Webhook hook =
                hook(
                        (connection, _) ->
                                saying(
                                                posted.size() < 3
                                                        ? "307 Temporary Redirect\r\nLocation: /elsewhere"
                                                        : "200 OK",
                                                "")
                                        .run(connection, ""));
        ask(FIRST);
        Await.until("it is said", () -> hook.trouble().isPresent());
        assertThat(hook.trouble().orElseThrow()).contains(HOST, "status-307");
        ask(SECOND);
        next(2);
        answer(FIRST, "yes");
        assertThat(told).extracting(Message.Answered::outcome).containsExactly(Outcome.YES);

        ask("cccccccccc");
        Await.until("all is well again", () -> hook.trouble().isEmpty());
        assertThat(posted).hasSize(3).allMatch(post -> post.head().startsWith("POST /sallyport "));
        Await.until("it is recorded", () -> record().contains("approval.webhook-back"));
        assertThat(record()).containsOnlyOnce("approval.webhook-failed");
    }

    /// More of them than are posted at once.
    @Test
    void aReceiverThatKeepsSilentHoldsUpNoAnswer() throws Exception {
        storeKey();
        Webhook hook = hook((_, _) -> over.await());
        for (char c = 'a'; c < 'e'; c++) {
            ask(Character.toString(c).repeat(10));
        }
        Await.until("they are posted", () -> posted.size() == 4);
        for (char c = 'a'; c < 'e'; c++) {
            answer(Character.toString(c).repeat(10), "yes");
        }
        ask("eeeeeeeeee");
        answer("eeeeeeeeee", "yes");

        assertThat(told).extracting(Message.Answered::outcome).hasSize(5).containsOnly(Outcome.YES);
        assertThat(hook.trouble()).isEmpty();
        assertThat(posted).hasSize(4);
    }

    @Test
    void nobodyElseThanTheReceiverGetsIt() throws Exception {
        storeKey();
        hook(saying("200 OK", ""));
        Webhook hook = hook(receiver.orElseThrow().dial(), new TestPki().caPem());
        ask(FIRST);

        Await.until("it is said", () -> hook.trouble().isPresent());
        assertThat(posted).isEmpty();
        assertThatCode(() -> answer(FIRST, "yes")).doesNotThrowAnyException();
    }

    @Test
    void withoutAGoodSecretNothingIsSent() throws Exception {
        Webhook hook = hook(saying("200 OK", ""));
        ask(FIRST);
        Await.until("it is said", () -> hook.trouble().isPresent());
        assertThat(hook.trouble().orElseThrow())
                .contains("sallyport secret set hook --host " + HOST);
        secrets.set("hook", HostName.parse(HOST), Optional.empty(), Secret.of(key("short")));
        ask(SECOND);
        Await.until("it is said", () -> hook.trouble().orElseThrow().contains("16 bytes"));
        assertThat(receiver.orElseThrow().heads()).isEmpty();

        storeKey();
        ask("cccccccccc");
        assertThat(next(1).json().get("id").asText()).isEqualTo("cccccccccc");
    }
}
