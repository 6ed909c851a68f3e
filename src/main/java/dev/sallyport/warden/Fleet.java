package dev.sallyport.warden;

import dev.sallyport.channel.Message;
import dev.sallyport.cluster.PodReview;
import dev.sallyport.control.FleetApi;
import dev.sallyport.credential.CertifiedKey;
import dev.sallyport.fleet.EnrolmentCode;
import dev.sallyport.fleet.HostId;
import dev.sallyport.fleet.Hosts;
import dev.sallyport.fleet.SessionBadges;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// This machine as the gateway of others (ADR 37): the port at which they come in, the hosts that
/// are enrolled, and the certificates of their sessions.
final class Fleet implements RemoteRuntime.Certificates {
    private static final System.Logger LOG = System.getLogger(Fleet.class.getName());
    private static final Duration CODE_VALID = Duration.ofMinutes(10);

    private final FleetFiles.Source files;
    private final Ledger ledger;
    private final Patron patron;
    private final Optional<PodReview> reviews;
    private final StoreSight sight;
    private @Nullable GatewayLink link;
    private @Nullable Sandboxes sandboxes;
    private @Nullable FleetDesk desk;
    private @Nullable Neighbours neighbours;
    private Optional<PublicPort> port = Optional.empty();

    /// At which address others find the port.
    private volatile Optional<String> address = Optional.empty();

    /// What the gateway process was told last, but for keys.
    private volatile List<?> told = List.of();

    /// @param reviews says which pod comes, where pods may
    /// @param sight when it was seen last what other gateways have changed
    Fleet(
            FleetFiles.Source files,
            Ledger ledger,
            Patron patron,
            Optional<PodReview> reviews,
            StoreSight sight) {
        this.files = files;
        this.ledger = ledger;
        this.patron = patron;
        this.reviews = reviews;
        this.sight = sight;
    }

    /// What else it needs, which is made after it.
    ///
    /// @param plans makes sessions for hosts
    void begin(
            GatewayLink gateway,
            Sandboxes all,
            HostSessions.Opening plans,
            StoredLogins logins,
            Neighbours others) {
        link = gateway;
        sandboxes = all;
        neighbours = others;
        desk =
                new FleetDesk(
                        files,
                        ledger,
                        new HostSessions(all, gateway, plans, logins, others, this::tell),
                        new PodDesk(files, ledger, reviews));
    }

    private static <T> T there(@Nullable T part) {
        return Objects.requireNonNull(part, "the fleet has not begun");
    }

    /// A request that came to the port.
    void knock(Message.Knock knock, Consumer<Message> answer) {
        there(desk).knock(knock, answer);
    }

    /// Opens the port again that a person wanted.
    void open() {
        try {
            Optional<FleetFiles.Source.Wanted> wanted = files.port();
            if (wanted.isPresent()) {
                publish(wanted.get());
            }
        } catch (IOException | OperationException e) {
            LOG.log(System.Logger.Level.ERROR, "other machines cannot come in", e);
        }
        if (port.isEmpty()) {
            leave();
        }
    }

    synchronized FleetApi.Fleet listen(FleetApi.Listen asked) throws OperationException {
        if (patron.guest().isPresent()) {
            throw OperationException.invalid(
                    "A system-wide service has no port for other machines.",
                    "Start the gateway with a home of its own: SALLYPORT_HOME=DIR sallyport gateway --listen :8443");
        }
        ListenAddress.parse(asked.address());
        if (asked.reachedAt().filter(text -> !EnrolmentCode.isAddress(text)).isPresent()) {
            throw OperationException.invalid(
                    "Not the address of a gateway.",
                    "Write a host name or an address and a port, as in gateway.example.com:8443.");
        }
        FleetFiles.Source.Wanted wanted =
                new FleetFiles.Source.Wanted(asked.address(), asked.reachedAt());
        ledger.record("fleet.listen", Map.of("address", asked.address()));
        publish(wanted);
        OperationException.doing(() -> files.keepPort(wanted));
        return view();
    }

    private synchronized void publish(FleetFiles.Source.Wanted wanted) throws OperationException {
        ListenAddress listen = ListenAddress.parse(wanted.listen());
        try {
            files.get();
            if (port.filter(open -> open.address().equals(wanted.listen())).isEmpty()) {
                port = Optional.of(new PublicPort(wanted.listen(), listen.open(), this::terms));
                there(link).publish(port);
            }
            address = Optional.of(wanted.address().orElse(listen.reachedAt()));
        } catch (IOException e) {
            throw OperationException.refused(e);
        }
        try {
            announce();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "announced to other gateways later", e);
        }
    }

    /// Says to gateways with the same store that this one can be reached.
    synchronized void announce() throws IOException {
        if (address.isPresent()) {
            there(neighbours).announce(address.get());
        }
    }

    /// Lets other gateways with the same store have the sessions of other machines.
    synchronized void leave() {
        address = Optional.empty();
        there(neighbours).giveBack();
    }

    private Message.PublicPort terms(int descriptors) {
        try {
            FleetFiles now = files.get();
            CertifiedKey server = now.authority().server();
            Base64.Encoder base64 = Base64.getEncoder();
            Message.PublicPort message =
                    new Message.PublicPort(
                            server.certificatePem(),
                            server.key(),
                            now.authority().authorityPems(),
                            now.hosts().publicKeys().stream().map(base64::encodeToString).toList(),
                            now.hosts().invitations().stream().map(Hosts.Invitation::id).toList(),
                            reviews.isPresent(),
                            0,
                            descriptors);
            told = facts(message);
            return message;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<?> facts(Message.PublicPort message) {
        return List.of(
                message.chainPem(), message.authorities(), message.hostKeys(), message.codes());
    }

    /// As [#tell], if another gateway has changed any of it.
    void tellChanged() {
        List<?> before = told;
        if (!facts(terms(0)).equals(before)) {
            told = before;
            tell();
        }
    }

    /// The gateway gets what has changed: a host, a code, or the certificate.
    synchronized void tell() {
        if (port.isPresent()) {
            there(link).publish(port);
        }
    }

    /// For a schedule, which ends with the first exception.
    void tellAgain() {
        try {
            tell();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the gateway was not told of certificates", e);
        }
    }

    synchronized FleetApi.Fleet close() throws OperationException {
        ledger.record("fleet.close", Map.of());
        port = Optional.empty();
        there(link).publish(port);
        leave();
        OperationException.doing(() -> files.forgetPort());
        return view();
    }

    FleetApi.Code invite(FleetApi.NewCode asked) throws OperationException {
        Duration valid =
                asked.valid().isPresent()
                        ? LifeRequests.duration("--valid", asked.valid().get())
                        : CODE_VALID;
        ledger.record("fleet.code", Map.of("host", asked.host()));
        try {
            String code = files.get().hosts().invite(asked.host(), asked.address(), valid);
            tell();
            return new FleetApi.Code(code, Instant.now().plus(valid).toString());
        } catch (IOException e) {
            throw OperationException.refused(e);
        }
    }

    void withdraw(String code) throws OperationException {
        OpenCodes.withdraw(files, ledger, code);
        tell();
    }

    FleetApi.Fleet view() throws OperationException {
        return OperationException.asking(
                () ->
                        new FleetApi.Fleet(
                                port.map(PublicPort::address),
                                address,
                                there(neighbours).addresses(),
                                files.port().map(FleetFiles.Source.Wanted::listen),
                                files.exists() ? hosts(files.get()) : List.of(),
                                OpenCodes.list(files),
                                authority(files)));
    }

    /// With their sandboxes at every gateway with the same store.
    private static List<FleetApi.Host> hosts(FleetFiles known) {
        Map<HostId, Long> count =
                known.badges().all().stream()
                        .flatMap(session -> known.badges().host(session).stream())
                        .collect(Collectors.groupingBy(host -> host, Collectors.counting()));
        return known.hosts().list().stream().map(host -> view(host, count)).toList();
    }

    private static FleetApi.Host view(Hosts.Enrolled host, Map<HostId, Long> count) {
        return new FleetApi.Host(
                host.name(),
                host.id().value(),
                host.enrolled().toString(),
                host.seen().toString(),
                Math.toIntExact(count.getOrDefault(host.id(), 0L)));
    }

    /// Nothing that it signs is accepted any more, and its sessions end.
    void remove(String name) throws OperationException {
        try {
            Optional<Hosts.Enrolled> host = files.get().hosts().named(name);
            if (host.isEmpty()) {
                throw OperationException.notFound(
                        "There is no host named " + name + ".",
                        "List them with: sallyport gateway");
            }
            ledger.record("fleet.remove", Map.of("host", name));
            List<SessionId> own = files.get().badges().sessions(host.get().id());
            files.get().pods().remove(name);
            files.get().hosts().remove(host.get().id(), files.get().badges());
            tell();
            endAll(own);
            // One that was asked for just before.
            endAll(files.get().badges().sessions(host.get().id()));
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
    }

    private void endAll(List<SessionId> sessions) {
        for (SessionId id : sessions) {
            try {
                there(sandboxes).destroy(id);
            } catch (OperationException | RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "not ended: " + id, e);
                revoke(id);
            }
        }
    }

    FleetApi.Authority authority() throws OperationException {
        return OperationException.asking(
                () -> new FleetApi.Authority(files.get().authority().authorityPems()));
    }

    FleetApi.Rotated rotate() throws OperationException {
        ledger.record("fleet.rotate", Map.of());
        try {
            Instant gone = files.get().authority().rotate();
            tell();
            return new FleetApi.Rotated(gone.toString());
        } catch (IOException e) {
            throw OperationException.refused(e);
        }
    }

    /// The certificates by which the gateway knows a session. There are none of a host that was
    /// removed, nor while it is not seen what other gateways have taken away.
    Message.Badges badges(SessionId session) {
        try {
            List<SessionBadges.Badge> good =
                    files.get().isOfHost(session) && !sight.isOld()
                            ? files.get().badges().current(session)
                            : List.of();
            return new Message.Badges(
                    session.value(),
                    good.stream()
                            .map(b -> new Message.Badge(b.fingerprint(), b.until().toString()))
                            .toList());
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "the certificates of sessions cannot be read", e);
            return new Message.Badges(session.value(), List.of());
        }
    }

    @Override
    public boolean areGood(SessionId session) {
        try {
            return files.get().isOfHost(session) && files.get().badges().isAlive(session);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "the certificates of sessions cannot be read", e);
            return false;
        }
    }

    @Override
    public void revoke(SessionId session) {
        try {
            files.get().badges().release(session);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "certificates are left of " + session, e);
        }
        there(link).tellAgain(session);
    }

    @Override
    public void forget(SessionId session) {
        try {
            PodDesk.end(files.get(), session);
            there(neighbours).forget(session);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "certificates are left of " + session, e);
        }
    }

    /// The authority that other machines trust; empty when there is none yet: looking makes none.
    private static Optional<FleetApi.AuthorityState> authority(FleetFiles.Source files)
            throws IOException {
        if (!files.exists()) {
            return Optional.empty();
        }
        List<String> all = files.get().authority().authorityPems();
        try {
            X509Certificate newest = CertifiedKey.parse(all.getLast());
            return Optional.of(
                    new FleetApi.AuthorityState(
                            newest.getNotBefore().toInstant().toString(),
                            newest.getNotAfter().toInstant().toString(),
                            all.size() > 1));
        } catch (CertificateException e) {
            throw new IOException("the certificate of the authority is damaged", e);
        }
    }
}
