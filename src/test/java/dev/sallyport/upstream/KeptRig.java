package dev.sallyport.upstream;

import dev.sallyport.config.GitHost;
import dev.sallyport.config.HostKind;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.Credential;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.CredentialSource;
import dev.sallyport.credential.Secret;
import dev.sallyport.egress.ScriptedHost;
import dev.sallyport.fixture.Await;
import dev.sallyport.git.TestPki;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Permit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// A client, one event loop, and a real TLS server that a test can script and count.
final class KeptRig implements AutoCloseable {
    static final HostName HOST = new HostName("git.test.example");
    private static final String TYPE = "application/x-test";

    /// Longer than any test waits, so that nothing ends by itself.
    static final int LONG_SECONDS = 3_600;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /// A session, as far as its requests are concerned.
    record Box(SessionId id, CredentialBook book) {
        static Box of(String token) {
            return new Box(SessionId.random(), bookOf(token));
        }

        /// The same session with another secret.
        Box rotated(String token) {
            return new Box(id, bookOf(token));
        }
    }

    /// A source that mints a credential for every request.
    static final class Minting implements CredentialSource {
        private final AtomicInteger minted = new AtomicInteger();
        private volatile Optional<Credential> last = Optional.empty();

        @Override
        public HostName host() {
            return HOST;
        }

        @Override
        public Found find(Permit permit) {
            last = Optional.of(credential("minted-token-" + minted.incrementAndGet()));
            return new Found.There();
        }

        @Override
        public Optional<Credential> held(Permit permit) {
            return last;
        }

        @Override
        public List<Secret> secrets() {
            return last.map(Credential::secret).stream().toList();
        }

        @Override
        public void wipe() {}
    }

    final ScriptedHost host;
    final Client client;
    private final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

    KeptRig(ScriptedHost.Script script) throws IOException {
        this(script, 16, 512, LONG_SECONDS, LONG_SECONDS);
    }

    KeptRig(ScriptedHost.Script script, int perSandbox, int total, int rest, int age)
            throws IOException {
        TestPki pki = new TestPki();
        this.host = ScriptedHost.tls(pki.server(HOST.value()), script);
        GitHost git =
                new GitHost(
                        HOST, HostKind.GITHUB, Optional.of(pki.caPem()), Optional.of(host.dial()));
        this.client =
                new Client(
                        new Limits.Upstream(
                                60, 60, 60, 60, 8_192, 128, perSandbox, total, rest, age),
                        List.of(git));
    }

    static String answer(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Type: "
                + TYPE
                + "\r\nContent-Length: "
                + body.length()
                + "\r\n\r\n"
                + body;
    }

    private static Credential credential(String token) {
        return new Credential(HOST, "user", Secret.of(token.getBytes(StandardCharsets.US_ASCII)));
    }

    private static CredentialBook bookOf(String token) {
        return new CredentialBook(List.of(new CredentialSource.Stored(credential(token))));
    }

    private static GitPermit permit(SessionId session) throws Exception {
        RepoGrant grant =
                new RepoGrant(
                        RepoPattern.parse(HOST + "/acme/app"),
                        Access.WRITE,
                        RefVisibility.all(),
                        PushRules.standard());
        return switch (new Policy(session, List.of(grant))
                .decide(RepoName.parse(HOST + "/acme/app"), GitService.UPLOAD_PACK)) {
            case Decision.Allow(GitPermit permit) -> permit;
            case Decision.Deny(var reason) -> throw new AssertionError(reason);
        };
    }

    String get(Box box) throws Exception {
        return read(open(box, ""));
    }

    String post(Box box, String body) throws Exception {
        return read(open(box, body));
    }

    /// Begins a request; it has a body when that is not empty.
    AnswerStream open(Box box, String body) throws Exception {
        UpstreamRequest request =
                new UpstreamRequest(
                        permit(box.id()),
                        body.isEmpty() ? "GET" : "POST",
                        "x",
                        Map.of(),
                        body.isEmpty()
                                ? new BodyFraming.None()
                                : new BodyFraming.Sized(body.length()),
                        TYPE);
        return AnswerStream.open(
                client,
                request,
                body.getBytes(StandardCharsets.US_ASCII),
                box.book(),
                loops.next(),
                System.nanoTime() + PATIENCE.toNanos());
    }

    /// The answer's body, or the code of the failure.
    static String read(AnswerStream answer) throws IOException {
        try (answer) {
            return new String(answer.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (UpstreamException e) {
            return e.refusal().code();
        }
    }

    /// Waits until the gateway has closed the host's connection.
    void untilClosed(int peer) throws InterruptedException {
        Await.until(() -> host.peers.size() > peer && host.peers.get(peer).over);
    }

    @Override
    public void close() throws IOException {
        host.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
