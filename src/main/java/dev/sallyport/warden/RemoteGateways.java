package dev.sallyport.warden;

import com.google.common.util.concurrent.Uninterruptibles;
import dev.sallyport.channel.Message;
import dev.sallyport.config.AgeKey;
import dev.sallyport.control.Api;
import dev.sallyport.control.FleetApi;
import dev.sallyport.control.HostApi;
import dev.sallyport.credential.TokenClaims;
import dev.sallyport.fleet.Enrolment;
import dev.sallyport.fleet.EnrolmentCode;
import dev.sallyport.fleet.HostKey;
import dev.sallyport.host.GatewayClient;
import dev.sallyport.host.GatewayException;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/// The gateways of other machines that this one is enrolled with (ADR 37): where they are, how they
/// are known, and what they are asked for. Everything that is asked is signed with a key that was
/// made for that gateway.
final class RemoteGateways {
    private static final System.Logger LOG = System.getLogger(RemoteGateways.class.getName());

    /// How often the end of a session is said again when its gateway does not answer, in some eight
    /// minutes. After that it ends there when its certificate does, within the hour.
    private static final int TRIES_MAX = 9;

    private static final Duration TRY_AGAIN_AFTER = Duration.ofSeconds(1);

    /// Much longer than the lease of a gateway that has died is good.
    private static final Duration TAKE_OVER_MAX = Duration.ofMinutes(5);

    private final Path directory;
    private final Optional<AgeKey> key;
    private final KnownGateways known;
    private final GatewayClient client;
    private final AskingAgain waiting = new AskingAgain(TRY_AGAIN_AFTER);
    private final Ledger ledger;

    /// Which gateway has certified a session last.
    private final Map<SessionId, String> last = new ConcurrentHashMap<>();

    /// @param directory what is known of them
    RemoteGateways(Path directory, Optional<AgeKey> key, GatewayClient client, Ledger ledger) {
        this.directory = directory;
        this.key = key;
        this.known = new KnownGateways(directory, key);
        this.client = client;
        this.ledger = ledger;
    }

    /// Enrols this machine with the gateway that a code is from.
    synchronized FleetApi.Gateway enrol(FleetApi.Enrol asked) throws OperationException {
        try {
            EnrolmentCode code = EnrolmentCode.parse(asked.code().strip());
            String name = asked.name().orElse("gateway");
            if (known.names().contains(name)) {
                throw OperationException.conflict(
                        "There is a gateway named " + name + " already.",
                        "Choose another name with --name, or remove it: sallyport enroll --remove "
                                + name);
            }
            ledger.record("gateway.enrol", Map.of("gateway", name, "address", code.address()));
            HostKey host = HostKey.create(directory, key, name);
            HostApi.Enrolled enrolled = askToEnrol(code, Enrolment.request(code, host));
            known.keep(
                    name,
                    new KnownGateways.Stored(
                            code.address(), code.authorityPems(), enrolled.name()));
            return new FleetApi.Gateway(name, code.address(), enrolled.name(), 0);
        } catch (IOException e) {
            throw OperationException.refused(e);
        }
    }

    /// @param sandboxes how many use one, by its name
    List<FleetApi.Gateway> list(Map<String, Long> sandboxes) throws OperationException {
        List<FleetApi.Gateway> all = new ArrayList<>();
        for (String name : OperationException.asking(known::names)) {
            KnownGateways.Stored stored = known.find(name);
            int users = Math.toIntExact(sandboxes.getOrDefault(name, 0L));
            all.add(new FleetApi.Gateway(name, stored.address(), stored.host(), users));
        }
        return all;
    }

    /// Forgets a gateway that no sandbox uses.
    void remove(String name) throws OperationException {
        var _ = known.find(name);
        ledger.record("gateway.remove", Map.of("gateway", name));
        OperationException.doing(
                () -> {
                    known.remove(name);
                    HostKey.remove(directory, name);
                });
    }

    /// Asks for the rights of a sandbox to be made.
    HostApi.Opened open(String gateway, HostApi.Open request) throws OperationException {
        GatewayClient.Answered<HostApi.Opened> opened =
                ask(gateway, known.addresses(gateway), "open", request, HostApi.Opened.class);
        var _ = known.learn(gateway, opened.value().authorities(), opened.value().gateways());
        last.put(new SessionId(opened.value().session()), opened.address());
        return opened.value();
    }

    /// Which of an agent's logins is stored there. The id of an account comes to stand within
    /// quotes in a file inside, and is no more than an id.
    HostApi.Chosen login(String gateway, HostApi.Logins logins) throws OperationException {
        HostApi.Chosen chosen =
                ask(gateway, known.addresses(gateway), "login", logins, HostApi.Chosen.class)
                        .value();
        if (chosen.login()
                .flatMap(HostApi.ChosenLogin::account)
                .filter(account -> !TokenClaims.isName(account))
                .isPresent()) {
            throw OperationException.failed(
                    new IOException("the gateway's answer is not readable"));
        }
        return chosen;
    }

    /// How a gateway is.
    HostApi.Looked look(String gateway) throws OperationException {
        List<String> addresses = known.addresses(gateway);
        return ask(gateway, addresses, "look", new HostApi.Look(), HostApi.Looked.class).value();
    }

    /// Whether the gateway of a session was not forgotten.
    boolean has(Session session) {
        try {
            return !addresses(session).isEmpty();
        } catch (OperationException e) {
            LOG.log(System.Logger.Level.ERROR, "no gateway for " + session.name(), e);
            return false;
        }
    }

    /// A connection to the gateway that has certified the session last.
    FileDescriptor connect(Session session) throws OperationException, IOException {
        return client.connect(addresses(session).getFirst());
    }

    /// A certificate for a key of the session's sidecar. When its gateway does not answer and there
    /// are others, this takes until one of them may have the session.
    ///
    /// @param proof by the key before; empty for the first
    /// @param wanted whether it still is
    Message.Certified certify(
            Session session, String publicKey, String proof, BooleanSupplier wanted)
            throws OperationException, InterruptedException {
        HostApi.Certify request = new HostApi.Certify(session.id().value(), publicKey, proof);
        long latest = System.nanoTime() + TAKE_OVER_MAX.toNanos();
        while (true) {
            try {
                Message.Certified made = certify(session, request);
                waiting.heard();
                return made;
            } catch (OperationException e) {
                if (!mayPass(session, e)) {
                    throw e;
                }
                waiting.turn(latest);
                if (!wanted.getAsBoolean() || System.nanoTime() - latest > 0) {
                    throw e;
                }
            }
        }
    }

    private Message.Certified certify(Session session, HostApi.Certify wanted)
            throws OperationException {
        String gateway = gateway(session);
        GatewayClient.Answered<HostApi.Certificate> made =
                ask(
                        gateway,
                        addresses(session),
                        wanted.proof().isEmpty() ? "certify" : "renew",
                        wanted,
                        HostApi.Certificate.class);
        last.put(session.id(), made.address());
        return new Message.Certified(
                session.id().value(),
                wanted.key(),
                made.value().certificatePem(),
                made.address(),
                known.learn(gateway, made.value().authorities(), made.value().gateways()));
    }

    /// Whether it may be better in a moment, when the lease of another gateway has run out.
    private boolean mayPass(Session session, OperationException e) throws OperationException {
        return e.status() == OperationException.Fault.ELSEWHERE.status()
                || (e.status() == OperationException.Fault.UNAVAILABLE.status()
                        && hasSeveral(session));
    }

    private static String gateway(Session session) {
        return session.asked().machine().orElseThrow();
    }

    /// Whether another gateway may serve the session when one does not.
    boolean hasSeveral(Session session) throws OperationException {
        return addresses(session).size() > 1;
    }

    /// Where to ask for a session, in this order.
    private List<String> addresses(Session session) throws OperationException {
        Set<String> all = new LinkedHashSet<>();
        Optional.ofNullable(last.get(session.id())).ifPresent(all::add);
        all.addAll(known.addresses(gateway(session)));
        return List.copyOf(all);
    }

    /// The session's certificates are not good any more.
    void release(Session session) {
        tell(session, "release");
    }

    /// The session is over.
    void end(Session session) {
        tell(session, "end");
    }

    /// Behind whoever stops a sandbox: a gateway that cannot be reached does not keep it running.
    private void tell(Session session, String operation) {
        Thread.ofVirtual()
                .name(operation)
                .start(
                        () -> {
                            Duration pause = TRY_AGAIN_AFTER;
                            for (int i = 0; i < TRIES_MAX && !isTold(session, operation); i++) {
                                Uninterruptibles.sleepUninterruptibly(pause);
                                pause = pause.multipliedBy(2);
                            }
                            last.remove(session.id());
                        });
    }

    private boolean isTold(Session session, String operation) {
        try {
            ask(
                    gateway(session),
                    addresses(session),
                    operation,
                    new HostApi.OfSession(session.id().value()),
                    Api.Done.class);
            return true;
        } catch (OperationException e) {
            LOG.log(System.Logger.Level.WARNING, operation + " of " + session.name(), e);
            // Anything else may be better in a moment, such as a clock, or a warden that begins.
            return e.status() == OperationException.Fault.NOT_FOUND.status();
        }
    }

    private <T> GatewayClient.Answered<T> ask(
            String gateway, List<String> addresses, String operation, Object body, Class<T> answer)
            throws OperationException {
        GatewayClient.Place place =
                new GatewayClient.Place(addresses, known.find(gateway).authorities());
        try {
            HostKey host = HostKey.open(directory, key, gateway);
            return client.ask(place, host, operation, body, answer);
        } catch (GatewayException e) {
            throw refused(e, e.remedy());
        } catch (IOException e) {
            throw OperationException.refused(e);
        }
    }

    /// To a code that is not open, the gateway says nothing.
    private HostApi.Enrolled askToEnrol(EnrolmentCode code, String text) throws OperationException {
        try {
            return client.enrol(
                    new GatewayClient.Place(List.of(code.address()), code.authorityPems()), text);
        } catch (GatewayException e) {
            throw refused(
                    e,
                    e.status() == GatewayException.UNAVAILABLE
                            ? "A code is good once, and not for long. Print a new one on the gateway's machine: sallyport gateway code NAME. If that does not help, check that this machine can reach it."
                            : e.remedy());
        }
    }

    private static OperationException refused(GatewayException e, String remedy) {
        return new OperationException(fault(e.status()), String.valueOf(e.getMessage()), remedy, e);
    }

    private static OperationException.Fault fault(int status) {
        for (OperationException.Fault fault : OperationException.Fault.values()) {
            if (fault.status() == status) {
                return fault;
            }
        }
        return OperationException.Fault.FAILED;
    }

    void seal() throws IOException {
        known.seal();
    }
}
