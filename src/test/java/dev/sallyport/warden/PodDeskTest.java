package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.channel.Message;
import dev.sallyport.cluster.PodReview;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.Limits;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.control.Api;
import dev.sallyport.control.ApiJson;
import dev.sallyport.control.HostApi;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.credential.Secret;
import dev.sallyport.fixture.FakeCluster;
import dev.sallyport.fixture.FakeCluster.Claims;
import dev.sallyport.fleet.Enrolment;
import dev.sallyport.fleet.EnrolmentCode;
import dev.sallyport.fleet.HostKey;
import dev.sallyport.fleet.Hosts;
import dev.sallyport.fleet.PinnedAuthorities;
import dev.sallyport.fleet.PodEnrolment;
import dev.sallyport.fleet.SignedRequest;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What pods get at the desk, and what is recorded of it. The cluster is a fake, the rest is real.
final class PodDeskTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Claims ONE =
            Claims.of("agents/agent", "fix-1", "0a8d3f6e-1111-4222-8333-944455556666");
    private static final Claims TWO =
            Claims.of("agents/agent", "fix-2", "1b8d3f6e-1111-4222-8333-944455556666");

    private @TempDir Path directory;
    private WardenParts parts;
    private FakeCluster cluster;
    private FleetFiles.Source files;
    private FleetDesk desk;
    private final Map<SessionId, Session> sessions = new ConcurrentHashMap<>();

    @BeforeEach
    void start() throws IOException {
        parts = new WardenParts(directory);
        cluster = new FakeCluster();
        files = new FleetFiles.Source(parts.home.fleet(), Optional.empty(), Optional.empty());
        Path policy =
                Files.writeString(directory.resolve("policy.yaml"), cluster.policy(directory));
        desk =
                desk(
                        PolicyFile.load(policy)
                                .kubernetes()
                                .map(
                                        place ->
                                                new PodReview(
                                                        place,
                                                        Limits.standard().upstream(),
                                                        parts.loops.next(),
                                                        Duration.ofMinutes(1))));
    }

    @AfterEach
    void stop() throws Exception {
        cluster.close();
        parts.close();
    }

    private FleetDesk desk(Optional<PodReview> reviews) {
        return new FleetDesk(
                files, parts.ledger, new Made(), new PodDesk(files, parts.ledger, reviews));
    }

    /// Keeps sessions as a warden does, without a store.
    private final class Made implements FleetDesk.Sessions {
        @Override
        public Session open(String host, HostApi.Open request, FleetDesk.Made made)
                throws OperationException {
            Session planned = parts.plans.planRemote(host, request);
            made.with(planned);
            sessions.put(planned.id(), planned);
            return planned;
        }

        @Override
        public HostApi.Chosen choose(String host, HostApi.Logins asked) throws OperationException {
            return new StoredLogins(parts.reach, parts.ledger).choose(host, asked);
        }

        @Override
        public Session find(SessionId id) throws OperationException {
            return Optional.ofNullable(sessions.get(id)).orElseThrow(FleetDesk::unknown);
        }

        @Override
        public void under(Session session, FleetDesk.Made step) throws OperationException {
            step.with(session);
        }

        @Override
        public void changed(SessionId id) {}

        @Override
        public void hostsChanged() {}

        @Override
        public String gateways() {
            return "";
        }

        @Override
        public void end(Session session) throws OperationException {
            sessions.remove(session.id());
            try {
                PodDesk.end(files.get(), session.id());
            } catch (IOException e) {
                throw OperationException.failed(e);
            }
        }
    }

    private Message.Reply said(FleetDesk to, String line) {
        CompletableFuture<Message> answer = new CompletableFuture<>();
        to.knock(new Message.Knock(1, line), answer::complete);
        return (Message.Reply) answer.join();
    }

    private String audience() throws IOException {
        return PinnedAuthorities.audience(files.get().authority().authorityPems().getLast());
    }

    private Message.Reply enrol(HostKey key, Claims claims) throws IOException {
        return said(desk, PodEnrolment.request(audience(), key, claims.token()));
    }

    private HostKey enrolled(Claims claims) throws IOException {
        HostKey key = HostKey.inMemory();
        assertThat(enrol(key, claims).status()).isEqualTo(200);
        return key;
    }

    private Message.Reply ask(HostKey key, String operation, Object body) throws IOException {
        byte[] json = ApiJson.requests().writeValueAsBytes(body);
        return said(desk, SignedRequest.sign(key, audience(), operation, json, Instant.now()));
    }

    private Message.Reply open(HostKey key, String name) throws IOException {
        return ask(
                key,
                "open",
                new HostApi.Open(
                        name,
                        List.of(),
                        new Api.ReachRequest(List.of(), List.of(), true, false, List.of()),
                        GitSettings.STANDARD,
                        Api.LifeRequest.STANDARD));
    }

    private String opened(HostKey key) throws IOException {
        Message.Reply reply = open(key, "agent");
        assertThat(reply.status()).as(reply.json()).isEqualTo(200);
        return JSON.readTree(reply.json()).path("session").asText();
    }

    private Message.Reply certify(HostKey key, String session) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        byte[] spki = generator.generateKeyPair().getPublic().getEncoded();
        String text = Base64.getEncoder().encodeToString(spki);
        return ask(key, "certify", new HostApi.Certify(session, text, ""));
    }

    private static void refused(Message.Reply reply, String code) throws IOException {
        assertThat(reply.status()).isEqualTo(403);
        assertThat(JSON.readTree(reply.json()).path("code").asText()).isEqualTo(code);
    }

    private List<JsonNode> recorded(String kind) throws IOException {
        List<JsonNode> found = new ArrayList<>();
        for (String line : Files.readAllLines(parts.home.auditLog())) {
            JsonNode one = JSON.readTree(line);
            if (one.path("kind").asText().equals(kind)) {
                found.add(one);
            }
        }
        return found;
    }

    @Test
    void aPodIsRecordedWithItsNameAndGetsOneSession() throws Exception {
        HostKey key = enrolled(ONE);
        for (String kind : List.of("fleet.enrol", "fleet.enrolled")) {
            JsonNode detail = recorded(kind).getLast().path("detail");
            assertThat(detail.path("namespace").asText()).isEqualTo("agents");
            assertThat(detail.path("account").asText()).isEqualTo("agent");
            assertThat(detail.path("pod").asText()).isEqualTo("fix-1");
            assertThat(detail.toString()).doesNotContain(ONE.token());
        }
        String session = opened(key);
        assertThat(opened(key)).as("an answer was lost").isEqualTo(session);
        refused(open(key, "second"), "second-session");
        assertThat(sessions).hasSize(1);
        assertThat(opened(enrolled(TWO))).isNotEqualTo(session);
    }

    @Test
    void i1_aPodHasNothingToDoWithTheSessionOfAnother() throws Exception {
        HostKey one = enrolled(ONE);
        HostKey two = enrolled(TWO);
        String session = opened(one);
        opened(two);
        for (String operation : List.of("end", "release")) {
            assertThat(ask(two, operation, new HostApi.OfSession(session)).status()).isEqualTo(404);
        }
        assertThat(certify(two, session).status()).isEqualTo(404);
        assertThat(files.get().badges().wasCertified(new SessionId(session))).isFalse();
        assertThat(sessions).hasSize(2);
        assertThat(certify(one, session).status()).isEqualTo(200);
    }

    @Test
    void i2_aPodMayNotAskForLogins() throws Exception {
        Secret value = Secret.of("s3cr3t-token-value".getBytes(StandardCharsets.US_ASCII));
        parts.secrets.put(
                "anthropic",
                new SecretsApi.PutSecret(
                        "api.anthropic.com",
                        Optional.empty(),
                        value,
                        Optional.empty(),
                        Optional.empty()));
        HostApi.Logins asked =
                new HostApi.Logins(
                        List.of(new HostApi.Login("anthropic", "api.anthropic.com", "anthropic")));
        Message.Reply reply = ask(enrolled(ONE), "login", asked);
        refused(reply, "pod-login");
        assertThat(reply.json()).doesNotContain("api.anthropic.com");
        assertThat(recorded("fleet.refused")).hasSize(1);
        assertThat(recorded("fleet.login")).isEmpty();

        HostKey machine = HostKey.inMemory();
        Hosts hosts = files.get().hosts();
        String code = hosts.invite("build-1", "one.example.com:8443", Duration.ofMinutes(10));
        var _ = hosts.enrol(Enrolment.request(EnrolmentCode.parse(code), machine));
        assertThat(ask(machine, "login", asked).json()).as("control").contains("api.anthropic.com");
        assertThat(recorded("fleet.login")).hasSize(1);
    }

    @Test
    void i1_refusalsAreRecordedAndLeaveNoHost() throws Exception {
        Map<String, Claims> bad =
                Map.of(
                        "bad-token", ONE.forAudience("other"),
                        "no-pod", ONE.unbound(),
                        "other-account", Claims.of("agents/builder", "fix-1", "0a8d3f6e-1111"));
        for (Map.Entry<String, Claims> one : bad.entrySet()) {
            refused(enrol(HostKey.inMemory(), one.getValue()), one.getKey());
            assertThat(recorded("fleet.refused").getLast().path("detail").path("reason").asText())
                    .isEqualTo(one.getKey());
        }
        assertThat(files.get().hosts().list()).isEmpty();
        assertThat(recorded("fleet.enrol")).isEmpty();
        enrolled(ONE);
    }

    @Test
    void i1_withoutAListOfAccountsNoPodComesAndNobodyIsAsked() throws Exception {
        String line = PodEnrolment.request(audience(), HostKey.inMemory(), ONE.token());
        refused(said(desk(Optional.empty()), line), "no-pods");
        assertThat(cluster.questions).isEmpty();
        assertThat(files.get().hosts().list()).isEmpty();
        assertThat(said(desk, line).status()).isEqualTo(200);
    }

    /// As the threat model says: whoever has the token of a pod can be that pod, with its rights
    /// and no others, and the pod notices.
    @Test
    void aTokenThatWasCapturedIsGoodForItsOwnPodOnly() throws Exception {
        HostKey own = enrolled(ONE);
        String session = opened(own);
        HostKey thief = enrolled(ONE);
        assertThat(opened(thief)).isEqualTo(session);
        refused(open(thief, "second"), "second-session");
        refused(open(own, "agent"), "unknown-host");
        assertThat(sessions).hasSize(1);
    }

    @Test
    void i3_aPodWhoseSessionHasEndedDoesNotComeBackUnlessItWasNeverIn() throws Exception {
        HostKey key = enrolled(ONE);
        String first = opened(key);
        assertThat(ask(key, "end", new HostApi.OfSession(first)).status()).isEqualTo(200);
        HostKey again = enrolled(ONE);
        String second = opened(again);
        assertThat(second).isNotEqualTo(first);
        assertThat(certify(again, second).status()).isEqualTo(200);
        assertThat(ask(again, "end", new HostApi.OfSession(second)).status()).isEqualTo(200);
        refused(enrol(HostKey.inMemory(), ONE), "pod-over");
        refused(open(again, "agent"), "unknown-host");
        assertThat(sessions).isEmpty();
        enrolled(TWO);
    }

    /// The warden of the desk, as far as it ends sessions.
    private record Ends(Fleet fleet, Sandboxes sandboxes) {}

    private Ends ends() {
        Fleet fleet =
                new Fleet(
                        files,
                        parts.ledger,
                        Patron.own(parts.home),
                        Optional.empty(),
                        new StoreSight(false, System::nanoTime));
        Sandboxes all =
                new Sandboxes(
                        parts.store,
                        new Runtimes(_ -> new RemoteRuntime(fleet), _ -> Optional.empty()),
                        parts.homes,
                        new Doors((_, _, _) -> List.of(), parts.link, parts.others.sidecars()),
                        parts.ledger,
                        parts.authorities,
                        parts.clock);
        Neighbours none =
                new Neighbours(
                        files, parts.leases(), all, parts.authorities, parts.policy, parts.ledger);
        fleet.begin(
                parts.link,
                all,
                (_, _, _) -> sessions.values().iterator().next(),
                new StoredLogins(parts.reach, parts.ledger),
                none);
        return new Ends(fleet, all);
    }

    private Session made(String id) {
        return Objects.requireNonNull(sessions.get(new SessionId(id)));
    }

    /// Neither has had a certificate: the sidecar of either is started again, and asks.
    @Test
    void i3_aPodThatAPersonEndsBeforeItWasInDoesNotComeBack() throws Exception {
        Ends ends = ends();
        HostKey one = enrolled(ONE);
        Session session = made(opened(one));
        parts.store.insert(session);
        ends.sandboxes().destroy(session.name());
        assertThat(parts.store.byId(session.id())).isEmpty();
        refused(enrol(HostKey.inMemory(), ONE), "pod-over");
        refused(open(one, "agent"), "unknown-host");

        HostKey two = enrolled(TWO);
        ends.fleet().remove(files.get().hosts().find(two.id()).orElseThrow().name());
        refused(enrol(HostKey.inMemory(), TWO), "pod-over");
        refused(open(two, "agent"), "unknown-host");
        assertThat(files.get().hosts().list()).isEmpty();
        assertThat(files.get().badges().all()).isEmpty();
    }

    /// The warden itself ends one for which nobody has come.
    @Test
    void aPodWhoseSessionNobodyEndedOnPurposeMayTryAgain() throws Exception {
        Ends ends = ends();
        Session session = made(opened(enrolled(ONE)));
        parts.store.insert(session);
        ends.sandboxes().destroy(session.id());
        assertThat(parts.store.byId(session.id())).isEmpty();
        assertThat(opened(enrolled(ONE))).isNotEqualTo(session.id().value());
    }
}
