package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.approval.Question;
import dev.sallyport.channel.Message;
import dev.sallyport.config.Limits;
import dev.sallyport.config.PostUrl;
import dev.sallyport.config.Reports;
import dev.sallyport.config.SealedFiles;
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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A warden's approvals, its page, and a webhook whose receiver is a real TLS server of the test.
final class WebhookRig implements AutoCloseable {
    static final String HOST = "hooks.example";
    static final String KEY = "a key of the test that is long enough";
    static final String FIRST = "aaaaaaaaaa";
    static final String SECOND = "bbbbbbbbbb";
    private static final String URL = "https://a.example/x";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TestPki PKI = new TestPki();

    /// @param head as it arrived
    record Posted(String head, String body) {
        JsonNode json() {
            try {
                return JSON.readTree(body);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    final WardenParts parts;
    final Approvals approvals;
    final OpenedPage page;
    final SecretFiles secrets;
    private final String session;
    Optional<HostileUpstream> receiver = Optional.empty();
    Optional<Webhook> webhook = Optional.empty();
    final CountDownLatch over = new CountDownLatch(1);
    final List<Posted> posted = new CopyOnWriteArrayList<>();
    final List<Message.Answered> told = new CopyOnWriteArrayList<>();
    private final Approvals.Asker gateway = message -> told.add((Message.Answered) message);

    WebhookRig(Path dir) throws Exception {
        parts = new WardenParts(dir);
        approvals = parts.approvals;
        secrets = new SecretFiles(new SealedFiles(parts.home.secrets(), Optional.empty()));
        page =
                new OpenedPage(
                        Patron.own(parts.home),
                        parts.ledger,
                        parts.store,
                        parts.loops.next(),
                        approvals::isOpen);
        session = parts.create("app", Api.LifeRequest.STANDARD).id().value();
    }

    @Override
    public void close() throws IOException {
        over.countDown();
        webhook.ifPresent(Webhook::close);
        if (receiver.isPresent()) {
            receiver.get().close();
        }
        page.shut();
        parts.close();
    }

    static byte[] key(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    void storeKey() throws Exception {
        secrets.set("hook", HostName.parse(HOST), Optional.empty(), Secret.of(key(KEY)));
    }

    /// A receiver that reads the post and then does this.
    Webhook hook(HostileUpstream.Script then) throws Exception {
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

    Webhook hook(String dial, String caPem) throws Exception {
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

    static HostileUpstream.Script saying(String head, String body) {
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

    void ask(String id) {
        ask(id, "GET " + URL);
    }

    void ask(String id, String summary) {
        approvals.asked(new Message.Ask(session, id, question(summary)), gateway);
    }

    void answer(String id, String word) throws OperationException {
        String digest = question("GET " + URL).digest(session);
        approvals.answer(id, new ApprovalsApi.AnswerApproval(word, digest, "ada", "page", ""));
    }

    void openPage() throws OperationException {
        page.link(new Api.OpenPage(Optional.empty()), Role.OWNER);
    }

    Posted next(int number) {
        Await.until("post " + number, () -> posted.size() >= number);
        return posted.get(number - 1);
    }

    String record() throws IOException {
        return Files.readString(parts.home.auditLog());
    }

    /// As the page's own script logs in.
    static HttpResponse<String> login(String link) throws Exception {
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
}
