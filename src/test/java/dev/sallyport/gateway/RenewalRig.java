package dev.sallyport.gateway;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sallyport.audit.AuditEvent;
import dev.sallyport.channel.Message;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.Limits;
import dev.sallyport.config.LoginText;
import dev.sallyport.credential.Secret;
import dev.sallyport.credential.SecretModule;
import dev.sallyport.fixture.FakeProvider;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.HostName;
import dev.sallyport.session.LiveSession;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.Failure;
import dev.sallyport.upstream.Protocol;
import dev.sallyport.upstream.UpstreamCall;
import dev.sallyport.upstream.UpstreamEvents;
import dev.sallyport.upstream.WebOrder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The gateway's part in renewing logins, with the test in the place of the warden: it stores when
/// it is told to, and then gives all sessions the new tokens.
final class RenewalRig implements AutoCloseable {
    static final String ONE = "00000000000000aa";
    static final String OTHER = "00000000000000bb";

    final FakeProvider provider;
    final List<AuditEvent> events = new CopyOnWriteArrayList<>();
    final List<Message.LoginRenewed> given = new CopyOnWriteArrayList<>();
    final AtomicLong nanos = new AtomicLong();

    /// What the warden waits for before it answers.
    volatile CompletableFuture<Void> store = CompletableFuture.completedFuture(null);

    volatile boolean stores = true;
    volatile boolean records = true;

    private final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final Client client = new Client(Limits.standard().upstream(), List.of());
    private final Renewals renewals =
            new Renewals(loops, client, this::record, this::warden, nanos::get);
    private final Map<String, LiveSession> sessions = new ConcurrentHashMap<>();

    RenewalRig(FakeProvider provider) {
        this.provider = provider;
    }

    private CompletableFuture<Void> record(AuditEvent event) {
        events.add(event);
        return records
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.failedFuture(new IllegalStateException("broken"));
    }

    private void warden(Message message) {
        Message.LoginRenewed renewed = (Message.LoginRenewed) message;
        given.add(renewed);
        var _ =
                store.thenRun(
                        () -> {
                            if (stores) {
                                String version = "v" + given.size();
                                sessions.keySet().forEach(s -> attach(s, version, renewed));
                            }
                            renewals.stored(new Message.LoginStored(renewed.version(), stores));
                        });
    }

    private void attach(String session, String version, Message.LoginRenewed tokens) {
        attach(
                session,
                version,
                copy(tokens.access()),
                copy(tokens.refresh().orElseThrow()),
                tokens.expires().map(Instant::parse),
                Instant.now());
    }

    /// As if it had come through the channel.
    private static Secret copy(Secret secret) {
        try {
            JsonMapper json = JsonMapper.builder().addModule(new SecretModule()).build();
            return json.readValue(json.writeValueAsBytes(secret), Secret.class);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// A session with the provider's first tokens.
    void attach(String session, Optional<Instant> expires, Instant since) {
        attach(
                session,
                "v0",
                secret(FakeProvider.ACCESS),
                secret(FakeProvider.REFRESH),
                expires,
                since);
    }

    private static Secret secret(String text) {
        return Secret.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    private void attach(
            String session,
            String version,
            Secret access,
            Secret refresh,
            Optional<Instant> expires,
            Instant since) {
        LoginText login =
                new LoginText(
                        refresh,
                        expires.map(Instant::toString),
                        "https://" + FakeProvider.AUTH + "/oauth/token",
                        "the-client",
                        Optional.empty(),
                        Optional.empty(),
                        "json");
        Message.Renewable renewable =
                new Message.Renewable(
                        login,
                        since.toString(),
                        version,
                        false,
                        Optional.of(provider.auth.dial()),
                        Optional.of(provider.pki.caPem()));
        LiveSession next =
                Rights.of(
                        new Message.Attach(
                                session,
                                "box",
                                new Message.Rights(
                                        List.of(), List.of(rule()), false, GitSettings.STANDARD),
                                List.of(),
                                List.of(
                                        new Message.InjectedSecret(
                                                "login",
                                                FakeProvider.API,
                                                access,
                                                Optional.of(renewable))),
                                Optional.empty(),
                                new Message.Spent(0, 0, 0),
                                0,
                                List.of(),
                                List.of()),
                        renewals::renew);
        LiveSession old = sessions.put(session, next);
        if (old != null) {
            old.credentials().succeededBy(next.credentials());
            client.end(old.credentials());
        }
    }

    private EgressText rule() {
        return new EgressText(
                FakeProvider.API,
                List.of(443),
                false,
                Optional.of(provider.api.dial()),
                Optional.of(provider.pki.caPem()),
                Optional.of(
                        new EgressText.InspectionText(
                                Optional.empty(),
                                Optional.empty(),
                                List.of(),
                                Optional.empty(),
                                List.of(),
                                List.of(),
                                List.of(),
                                false,
                                List.of(),
                                Optional.of(
                                        new EgressText.InjectionText(
                                                "login", "bearer", Optional.empty())),
                                false)),
                "test");
    }

    /// The session is over, as far as the gateway knows.
    void detach(String session) {
        LiveSession gone = sessions.remove(session);
        if (gone != null) {
            client.end(gone.credentials());
            gone.credentials().wipe();
        }
    }

    /// Status and body of an answer, or the reason why there is none.
    CompletableFuture<String> get(String session) {
        return ask(session, "");
    }

    String got(String session) throws Exception {
        return get(session).get(60, TimeUnit.SECONDS);
    }

    String posted(String session) throws Exception {
        return ask(session, "a body").get(60, TimeUnit.SECONDS);
    }

    private CompletableFuture<String> ask(String session, String body) {
        LiveSession live = sessions.get(session);
        if (live == null
                || !(live.policy().decide(new HostName(FakeProvider.API), 443)
                        instanceof Decision.Allow<EgressPermit>(EgressPermit permit))) {
            throw new AssertionError("no such session");
        }
        WebOrder order =
                new WebOrder(
                        permit,
                        true,
                        body.isEmpty() ? "GET" : "POST",
                        "/v1/messages",
                        Map.of(),
                        body.isEmpty()
                                ? new BodyFraming.None()
                                : new BodyFraming.Sized(body.length()),
                        Protocol.HTTP_1_1);
        Asking asking = new Asking(body);
        var loop = loops.next();
        loop.execute(
                () -> asking.call = client.lane().call(order, live.credentials(), loop, asking));
        return asking.said;
    }

    private static final class Asking implements UpstreamEvents {
        private final CompletableFuture<String> said = new CompletableFuture<>();
        private final StringBuilder text = new StringBuilder();
        private final String body;
        private @Nullable UpstreamCall call;
        private boolean sent;

        Asking(String body) {
            this.body = body;
        }

        @Override
        public void writable(boolean writable) {
            if (writable && !sent && call != null) {
                sent = true;
                call.write(Unpooled.copiedBuffer(body, StandardCharsets.US_ASCII));
                call.end(Map.of());
            }
        }

        @Override
        public void begun(AnswerHead head) {
            text.append(head.status()).append(' ');
        }

        @Override
        public void piece(ByteBuf piece) {
            text.append(piece.toString(StandardCharsets.ISO_8859_1));
            piece.release();
        }

        @Override
        public void complete() {
            said.complete(text.toString());
        }

        @Override
        public void failed(Failure failure) {
            said.complete(failure.reason().code());
        }
    }

    /// What was recorded, as `kind decision reason`.
    List<String> recorded() {
        return events.stream()
                .map(
                        event ->
                                (event.kind()
                                                + " "
                                                + event.decision()
                                                + " "
                                                + event.detail().getOrDefault("reason", ""))
                                        .trim())
                .toList();
    }

    @Override
    public void close() throws IOException {
        sessions.keySet().forEach(this::detach);
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        provider.close();
    }
}
