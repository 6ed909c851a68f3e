package dev.sallyport.warden;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.sallyport.audit.AuditEvent;
import dev.sallyport.channel.Message;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.GrantText;
import dev.sallyport.control.Api;
import dev.sallyport.control.ApiJson;
import dev.sallyport.control.HostApi;
import dev.sallyport.fleet.Enrolment;
import dev.sallyport.fleet.HostId;
import dev.sallyport.fleet.Hosts;
import dev.sallyport.fleet.PodEnrolment;
import dev.sallyport.fleet.RefusedException;
import dev.sallyport.fleet.SessionBadges;
import dev.sallyport.fleet.SignedRequest;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.session.Session;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/// Does what other machines ask for (ADR 37). A request comes through the gateway process, which
/// may be compromised: who signed it is found out here, before anything of it is read. A machine
/// gets no more than a person here would get with the same words, and has to do with its own
/// sessions only.
final class FleetDesk {
    private static final System.Logger LOG = System.getLogger(FleetDesk.class.getName());

    /// Requests that are being answered, of all hosts.
    private static final int AT_ONCE_MAX = 64;

    /// What fits into a message to the gateway, with its escapes.
    private static final int ANSWER_CHARS_MAX = 400_000;

    /// What a session of another machine is made with.
    interface Sessions {
        /// A new one.
        ///
        /// @param made told of the session before it is there
        Session open(String host, HostApi.Open request, Made made) throws OperationException;

        /// Which of an agent's logins is stored here.
        HostApi.Chosen choose(String host, HostApi.Logins asked) throws OperationException;

        /// One that no gateway serves is taken.
        Session find(SessionId id) throws OperationException;

        /// While nothing else happens to the session.
        void under(Session session, Made step) throws OperationException;

        /// Its certificates have changed.
        void changed(SessionId id);

        /// There is another host.
        void hostsChanged();

        /// Where gateways with the same store can be reached, this one first; signed.
        String gateways() throws IOException;

        void end(Session session) throws OperationException;
    }

    /// What is done with a session.
    interface Made {
        void with(Session session) throws OperationException;
    }

    private final FleetFiles.Source files;
    private final Ledger ledger;
    private final Sessions sessions;
    private final PodDesk pods;
    private final Semaphore places = new Semaphore(AT_ONCE_MAX);
    private final HostTurns turns = new HostTurns(TimeMeter.SYSTEM_NANOTIME);

    /// Refusals are recorded, but not each of a flood.
    private final Bucket refusals = HostTurns.bucket(TimeMeter.SYSTEM_NANOTIME, 30, 30);

    private final Bucket enrolments = HostTurns.bucket(TimeMeter.SYSTEM_NANOTIME, 30, 30);

    FleetDesk(FleetFiles.Source files, Ledger ledger, Sessions sessions, PodDesk pods) {
        this.files = files;
        this.ledger = ledger;
        this.sessions = sessions;
        this.pods = pods;
    }

    /// Answers later. The gateway process bounds what comes in; if that is not ours any more, this
    /// does.
    void knock(Message.Knock knock, Consumer<Message> answer) {
        if (knock.text().length() > SignedRequest.CHARS_MAX || !places.tryAcquire()) {
            answer.accept(reply(knock.id(), busy()));
            return;
        }
        Thread.ofVirtual()
                .name("host request")
                .start(
                        () -> {
                            try {
                                answer.accept(reply(knock.id(), knock.text()));
                            } finally {
                                places.release();
                            }
                        });
    }

    static OperationException busy() {
        return OperationException.unavailable(
                "The gateway has too many requests of other machines at once.",
                "Try again in a moment.");
    }

    private static Message.Reply reply(long id, OperationException refused) {
        return new Message.Reply(id, refused.status(), json(refused.problem()));
    }

    private Message.Reply reply(long id, String text) {
        try {
            return new Message.Reply(id, 200, json(done(text)));
        } catch (OperationException e) {
            return reply(id, e);
        } catch (RefusedException e) {
            refused(e);
            return new Message.Reply(
                    id,
                    403,
                    json(
                            new Api.Problem(
                                    e.reason().code(),
                                    String.valueOf(e.getMessage()),
                                    "See the gateway's audit log: sallyport audit show")));
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a host's request failed", e);
            return new Message.Reply(id, 500, json(OperationException.failed(e).problem()));
        }
    }

    private Object done(String text) throws IOException, RefusedException, OperationException {
        if (PodEnrolment.isOne(text)) {
            HostApi.Enrolled pod = pods.enrol(text);
            sessions.hostsChanged();
            return pod;
        }
        Optional<String> code = Enrolment.codeId(text);
        return code.isPresent() ? enrol(code.get(), text) : serve(text);
    }

    private void refused(RefusedException e) {
        if (refusals.tryConsume(1)) {
            ledger.note(
                    new AuditEvent(
                            "fleet.refused", "", "deny", Map.of("reason", e.reason().code())));
        }
    }

    private HostApi.Enrolled enrol(String code, String text)
            throws IOException, RefusedException, OperationException {
        // Also for a code that is not known here: others may have made it since.
        if (!enrolments.tryConsume(1)) {
            throw busy();
        }
        ledger.record("fleet.enrol", Map.of("code", code));
        Hosts.Enrolled host = files.get().hosts().enrol(text);
        ledger.note(
                new AuditEvent(
                        "fleet.enrolled",
                        "",
                        "allow",
                        Map.of("host", host.name(), "id", host.id().value(), "code", code)));
        sessions.hostsChanged();
        return new HostApi.Enrolled(host.id().value(), host.name());
    }

    private Object serve(String text) throws IOException, RefusedException, OperationException {
        Hosts hosts = files.get().hosts();
        try (HostTurns.Place _ = turns.begin(hosts.signer(text))) {
            return serve(hosts.verify(text));
        }
    }

    private Object serve(Hosts.Verified asked)
            throws IOException, RefusedException, OperationException {
        return switch (asked.operation()) {
            case "open" -> open(asked, read(asked, HostApi.Open.class));
            case "certify", "renew" -> certify(asked, read(asked, HostApi.Certify.class));
            case "release" -> release(session(asked, read(asked, HostApi.OfSession.class)));
            case "end" -> end(session(asked, read(asked, HostApi.OfSession.class)));
            case "login" -> login(asked);
            case "look" -> looked(asked);
            default ->
                    throw OperationException.invalid(
                            "This gateway does not know the request.",
                            "Install the same version of Sallyport on both machines.");
        };
    }

    private static HostApi.Looked looked(Hosts.Verified asked) throws OperationException {
        var _ = read(asked, HostApi.Look.class);
        return new HostApi.Looked(Warden.version(), System.currentTimeMillis());
    }

    private HostApi.Chosen login(Hosts.Verified asked)
            throws IOException, RefusedException, OperationException {
        pods.requireNoPodForLogin(asked.host());
        turns.login(asked.host());
        return sessions.choose(name(asked), read(asked, HostApi.Logins.class));
    }

    private String name(Hosts.Verified asked) throws OperationException, IOException {
        return files.get()
                .hosts()
                .find(asked.host())
                .map(Hosts.Enrolled::name)
                .orElseThrow(FleetDesk::unknown);
    }

    /// The session is its host's before it is there.
    private HostApi.Opened open(Hosts.Verified asked, HostApi.Open request)
            throws OperationException, IOException, RefusedException {
        if (request.reach().learn()) {
            throw OperationException.invalid(
                    "A sandbox on another machine cannot learn.", "Leave out --learn.");
        }
        String host = name(asked);
        Optional<SessionId> present = pods.present(asked.host());
        if (present.isPresent()) {
            return opened(pods.again(sessions.find(present.get()), host, request));
        }
        return opened(
                sessions.open(
                        host, request, session -> refusing(() -> claim(session, asked.host()))));
    }

    private HostApi.Opened opened(Session made) throws IOException {
        return new HostApi.Opened(
                made.id().value(),
                made.name(),
                made.grants().stream().map(GrantText::of).toList(),
                made.egress().rules().stream().map(EgressText::of).toList(),
                made.egress().learn(),
                made.spec().git(),
                made.spec().caPem(),
                authorities(),
                sessions.gateways());
    }

    private void claim(Session session, HostId host) throws IOException, RefusedException {
        files.get().badges().claim(session.id(), host, pods.sessionsMax(host));
    }

    /// What is done with files, as a step of an operation.
    private interface Filing {
        void run() throws IOException, RefusedException, OperationException;
    }

    private static void refusing(Filing step) throws OperationException {
        try {
            step.run();
        } catch (RefusedException e) {
            throw OperationException.conflict(
                    "The gateway refuses: " + e.reason().sentence() + ".",
                    "Destroy sandboxes that are not used any more.");
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
    }

    private HostApi.Certificate certify(Hosts.Verified asked, HostApi.Certify wanted)
            throws OperationException, IOException, RefusedException {
        Session session = session(asked, new HostApi.OfSession(wanted.session()));
        byte[] key = decoded(wanted.key());
        byte[] proof = decoded(wanted.proof());
        boolean renewed = asked.operation().equals("renew");
        List<String> made = new ArrayList<>();
        sessions.under(
                session,
                now -> {
                    requireOpen(now);
                    ledger.record(
                            "session.certify", now, Map.of("renewed", Boolean.toString(renewed)));
                    refusing(
                            () -> {
                                SessionBadges badges = files.get().badges();
                                SessionBadges.Issued issued =
                                        renewed
                                                ? badges.renew(now.id(), asked.host(), key, proof)
                                                : badges.issue(now.id(), asked.host(), key);
                                made.add(issued.certificatePem());
                            });
                });
        sessions.changed(session.id());
        return new HostApi.Certificate(made.getFirst(), authorities(), sessions.gateways());
    }

    private List<HostApi.Authority> authorities() throws IOException {
        return files.get().authority().told().stream()
                .map(told -> new HostApi.Authority(told.certificatePem(), told.endorsement()))
                .toList();
    }

    private static void requireOpen(Session session) throws OperationException {
        if (session.state() == Session.State.ENDED) {
            throw unknown();
        }
        if (session.state() == Session.State.STOPPED) {
            throw OperationException.conflict(
                    "The sandbox was stopped on the gateway's machine.",
                    "Start it there: sallyport start " + session.name());
        }
    }

    private static byte[] decoded(String base64) throws OperationException {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw OperationException.invalid(
                    "A key of the request cannot be read.",
                    "Install the same version of Sallyport on both machines.");
        }
    }

    private Api.Done release(Session session) throws OperationException {
        sessions.under(
                session,
                now -> {
                    ledger.record("session.release", now, Map.of());
                    refusing(() -> files.get().badges().release(now.id()));
                });
        sessions.changed(session.id());
        return new Api.Done();
    }

    private Api.Done end(Session session) throws OperationException {
        sessions.end(session);
        return new Api.Done();
    }

    /// Only its own: whether there is another one by that id is not for it to know.
    private Session session(Hosts.Verified asked, HostApi.OfSession of)
            throws OperationException, IOException {
        SessionId id = parse(of.session());
        if (!files.get().badges().host(id).equals(Optional.of(asked.host()))) {
            throw unknown();
        }
        Session found = sessions.find(id);
        if (found.spec().runtime() != RuntimeKind.REMOTE) {
            throw unknown();
        }
        return found;
    }

    private static SessionId parse(String text) throws OperationException {
        try {
            return new SessionId(text);
        } catch (IllegalArgumentException e) {
            throw unknown();
        }
    }

    static OperationException unknown() {
        return OperationException.notFound(
                "There is no such session of this machine.",
                "Destroy the sandbox and create a new one.");
    }

    private static <T> T read(Hosts.Verified asked, Class<T> type) throws OperationException {
        try {
            return ApiJson.requests().readValue(asked.body(), type);
        } catch (IOException e) {
            throw OperationException.invalid(
                    "The request cannot be read: " + e.getMessage(),
                    "Install the same version of Sallyport on both machines.");
        }
    }

    private static String json(Object answer) {
        try {
            String text = ApiJson.requests().writeValueAsString(answer);
            if (text.length() > ANSWER_CHARS_MAX) {
                throw new IllegalArgumentException("an answer that is too long");
            }
            return text;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
