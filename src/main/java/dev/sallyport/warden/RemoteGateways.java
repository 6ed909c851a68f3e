package dev.sallyport.warden;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.channel.Message;
import dev.sallyport.config.AgeKey;
import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Ownership;
import dev.sallyport.config.SealedJson;
import dev.sallyport.control.Api;
import dev.sallyport.control.FleetApi;
import dev.sallyport.control.HostApi;
import dev.sallyport.fleet.Enrolment;
import dev.sallyport.fleet.EnrolmentCode;
import dev.sallyport.fleet.HostKey;
import dev.sallyport.host.GatewayClient;
import dev.sallyport.host.GatewayException;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The gateways of other machines that this one is enrolled with (ADR 37): where they are, how they
/// are known, and what they are asked for. Everything that is asked is signed with a key that was
/// made for that gateway.
final class RemoteGateways {
    private static final System.Logger LOG = System.getLogger(RemoteGateways.class.getName());

    /// How often the end of a session is said again when its gateway does not answer, in some eight
    /// minutes. After that it ends there when its certificate does, within the hour.
    private static final int TRIES_MAX = 9;

    private static final Duration TRY_AGAIN_AFTER = Duration.ofSeconds(1);

    private final Path directory;
    private final Optional<AgeKey> key;
    private final GatewayClient client;
    private final Ledger ledger;

    /// @param authorities newest last (PEM)
    /// @param host what this machine is called there
    private record Stored(String address, List<String> authorities, String host) {
        GatewayClient.Place place() {
            return new GatewayClient.Place(address, authorities);
        }
    }

    /// @param directory what is known of them
    RemoteGateways(Path directory, Optional<AgeKey> key, GatewayClient client, Ledger ledger) {
        this.directory = directory;
        this.key = key;
        this.client = client;
        this.ledger = ledger;
    }

    /// Enrols this machine with the gateway that a code is from.
    synchronized FleetApi.Gateway enrol(FleetApi.Enrol asked) throws OperationException {
        try {
            EnrolmentCode code = EnrolmentCode.parse(asked.code().strip());
            String name = asked.name().orElse("gateway");
            if (files().names().contains(name)) {
                throw OperationException.conflict(
                        "There is a gateway named " + name + " already.",
                        "Choose another name with --name, or remove it: sallyport enroll --remove "
                                + name);
            }
            ledger.record(
                    new AuditEvent(
                            "gateway.enrol",
                            "",
                            "",
                            Map.of("gateway", name, "address", code.address())));
            HostKey host = HostKey.create(directory, key, name);
            HostApi.Enrolled enrolled = askToEnrol(code, Enrolment.request(code, host));
            files().write(name, new Stored(code.address(), code.authorityPems(), enrolled.name()));
            return new FleetApi.Gateway(name, code.address(), enrolled.name(), 0);
        } catch (ConfigException e) {
            throw OperationException.invalid(e.problem(), e.remedy());
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
    }

    /// @param sandboxes how many use one, by its name
    List<FleetApi.Gateway> list(Map<String, Long> sandboxes) throws OperationException {
        try {
            List<FleetApi.Gateway> all = new ArrayList<>();
            for (String name : files().names()) {
                Stored stored = files().read(name);
                all.add(
                        new FleetApi.Gateway(
                                name,
                                stored.address(),
                                stored.host(),
                                Math.toIntExact(sandboxes.getOrDefault(name, 0L))));
            }
            return all;
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
    }

    /// Forgets a gateway that no sandbox uses.
    void remove(String name) throws OperationException {
        find(name);
        ledger.record(new AuditEvent("gateway.remove", "", "", Map.of("gateway", name)));
        try {
            files().removeForGood(name);
            HostKey.remove(directory, name);
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
    }

    /// Asks for the rights of a sandbox to be made.
    HostApi.Opened open(String gateway, HostApi.Open request) throws OperationException {
        HostApi.Opened opened = ask(gateway, "open", request, HostApi.Opened.class);
        var _ = learn(gateway, opened.authorities());
        return opened;
    }

    /// What the sidecar of a session has to know; empty when its gateway was forgotten.
    Optional<Message.Carry> carry(Session session) {
        try {
            Stored stored = find(session.asked().machine().orElseThrow());
            return Optional.of(
                    new Message.Carry(
                            session.id().value(), stored.address(), stored.authorities()));
        } catch (OperationException e) {
            LOG.log(System.Logger.Level.ERROR, "no gateway for " + session.name(), e);
            return Optional.empty();
        }
    }

    /// A certificate for a key of the session's sidecar.
    ///
    /// @param proof by the key before; empty for the first
    Message.Certified certify(Session session, String publicKey, String proof)
            throws OperationException {
        String gateway = session.asked().machine().orElseThrow();
        HostApi.Certificate made =
                ask(
                        gateway,
                        proof.isEmpty() ? "certify" : "renew",
                        new HostApi.Certify(session.id().value(), publicKey, proof),
                        HostApi.Certificate.class);
        return new Message.Certified(
                session.id().value(),
                publicKey,
                made.certificatePem(),
                learn(gateway, made.authorities()));
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
        String gateway = session.asked().machine().orElseThrow();
        Thread.ofVirtual()
                .name(operation)
                .start(
                        () -> {
                            Duration pause = TRY_AGAIN_AFTER;
                            for (int i = 0; i < TRIES_MAX; i++) {
                                if (isTold(gateway, session, operation)) {
                                    return;
                                }
                                pause = rest(pause);
                            }
                        });
    }

    private boolean isTold(String gateway, Session session, String operation) {
        try {
            ask(gateway, operation, new HostApi.OfSession(session.id().value()), Api.Done.class);
            return true;
        } catch (OperationException e) {
            LOG.log(System.Logger.Level.WARNING, operation + " of " + session.name(), e);
            // Anything else may be better in a moment, such as a clock, or a warden that begins.
            return e.status() == OperationException.Fault.NOT_FOUND.status();
        }
    }

    private static Duration rest(Duration pause) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return pause.multipliedBy(2);
    }

    /// Those that are trusted from now on, after the gateway has told which it has.
    private synchronized List<String> learn(String gateway, List<HostApi.Authority> told)
            throws OperationException {
        try {
            Stored stored = find(gateway);
            List<String> now = GatewayClient.learned(stored.authorities(), told);
            if (!stored.authorities().equals(now)) {
                files().write(gateway, new Stored(stored.address(), now, stored.host()));
            }
            return now;
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
    }

    private Stored find(String name) throws OperationException {
        try {
            if (files().names().contains(name)) {
                return files().read(name);
            }
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
        throw new OperationException(
                OperationException.Fault.NOT_FOUND,
                "There is no gateway named " + name + ".",
                "List them with: sallyport enroll --list");
    }

    private <T> T ask(String gateway, String operation, Object body, Class<T> answer)
            throws OperationException {
        Stored stored = find(gateway);
        try {
            HostKey host = HostKey.open(directory, key, gateway);
            return client.ask(stored.place(), host, operation, body, answer);
        } catch (GatewayException e) {
            throw refused(e, e.remedy());
        } catch (ConfigException e) {
            throw OperationException.invalid(e.problem(), e.remedy());
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
    }

    /// To a code that is not open, the gateway says nothing.
    private HostApi.Enrolled askToEnrol(EnrolmentCode code, String text) throws OperationException {
        try {
            return client.enrol(
                    new GatewayClient.Place(code.address(), code.authorityPems()), text);
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
        files().seal();
    }

    private SealedJson<Stored> files() throws IOException {
        Ownership.createPrivateDirectory(directory);
        return new SealedJson<>(directory.resolve("known"), key, Stored.class);
    }
}
