package dev.sallyport.warden;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.channel.ChannelServer;
import dev.sallyport.channel.ListenerKind;
import dev.sallyport.channel.Message;
import dev.sallyport.channel.RecordOutcome;
import dev.sallyport.config.Limits;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionLeases;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// A sidecar for each sandbox here whose gateway is on another machine (ADR 37). It is to that
/// sandbox what the gateway process is to the others: it gets the sockets and no secret, is started
/// again when it dies, and ends with us.
final class Sidecars {
    private static final System.Logger LOG = System.getLogger(Sidecars.class.getName());

    /// Between two requests for a first certificate, when the gateway does not take the present
    /// one.
    private static final Duration BEGIN_AGAIN_AFTER = Duration.ofSeconds(10);

    private static final Duration CERTIFY_AGAIN_AFTER = Duration.ofSeconds(1);

    /// How long the connections of a sandbox may be lost before another gateway is asked, if there
    /// is one.
    private static final Duration LOST_MAX = Duration.ofSeconds(2);

    /// How long one that has published ports may take to say what passed through them last.
    private static final Duration LAST_WORDS_MAX = Duration.ofSeconds(2);

    /// How sidecars are started.
    record Launch(
            GatewayCommand command,
            EventLoop loop,
            Supplier<Limits> limits,
            SessionLeases leases,
            Ledger ledger,
            Path log) {}

    private final Supplier<Launch> launch;
    private final RemoteGateways gateways;
    private final SidecarNetwork network = new SidecarNetwork();
    private final Map<SessionId, Running> running = new ConcurrentHashMap<>();

    private record Running(GatewayLink link, GatewaySupervisor supervisor) {}

    /// Told how the connections of a sandbox get on.
    interface Listener {
        /// Something has changed.
        ///
        /// @param trouble empty when there is none any more
        void told(SessionId session, Optional<String> trouble);

        /// The gateway has ended the session.
        void over(SessionId session);

        /// For whoever has none yet.
        Listener NOBODY =
                new Listener() {
                    @Override
                    public void told(SessionId session, Optional<String> trouble) {}

                    @Override
                    public void over(SessionId session) {}
                };
    }

    private volatile Listener listener = Listener.NOBODY;

    /// @param launch asked when the first one is needed
    Sidecars(Supplier<Launch> launch, RemoteGateways gateways) {
        this.launch = launch;
        this.gateways = gateways;
    }

    void tell(Listener told) {
        listener = told;
    }

    /// The link to the sidecar of a sandbox, if there is one.
    Optional<GatewayLink> link(SessionId id) {
        return Optional.ofNullable(running.get(id)).map(Running::link);
    }

    /// Process id of the sidecar of a sandbox, or 0 between two; empty for one that needs none.
    Optional<Long> pid(Session session) {
        Running sidecar = running.get(session.id());
        return session.isCarried()
                ? Optional.of(sidecar == null ? 0 : sidecar.supervisor().pid())
                : Optional.empty();
    }

    /// The links to all of them.
    Stream<GatewayLink> links() {
        return running.values().stream().map(Running::link);
    }

    /// A new one. The caller holds the lock of the sandbox's name.
    GatewayLink start(Session session) throws OperationException {
        stop(session.id());
        Launch how = launch.get();
        boolean cutOff = network.isCutOff(how.command().isRoot());
        GatewayLink link = new GatewayLink(new Messages(how), how.leases());
        PortRecord record = new PortRecord(session.id(), link, how.ledger(), System::nanoTime);
        GatewaySupervisor supervisor =
                new GatewaySupervisor(
                        how.command().sidecar(new GatewayCommand.Carried(session.id(), cutOff)),
                        how.loop(),
                        link,
                        () -> new Hearing(session, link, record, cutOff),
                        how.log());
        running.put(session.id(), new Running(link, supervisor));
        supervisor.start();
        return link;
    }

    void stop(SessionId id) {
        Running sidecar = running.remove(id);
        if (sidecar != null) {
            boolean published =
                    sidecar.link().session(id).stream().anyMatch(it -> !it.published().isEmpty());
            sidecar.link().detach(id);
            sidecar.supervisor().stop(published ? LAST_WORDS_MAX : Duration.ZERO);
        }
    }

    void close() {
        running.keySet().forEach(this::stop);
    }

    /// From now on nobody is let in for the session, until it is started again.
    void release(Session session) {
        if (session.isCarried()) {
            gateways.release(session);
        }
    }

    /// The session is over, there too.
    void end(Session session) {
        if (session.isCarried()) {
            gateways.end(session);
        }
    }

    /// What a sidecar is told: no right and no secret, because it decides nothing.
    private record Messages(Launch launch) implements LinkMessages {
        @Override
        public Message.Configure configure() {
            return new Message.Configure(launch.limits().get(), List.of(), Optional.empty());
        }

        @Override
        public Message.Hosts hosts() {
            return new Message.Hosts(List.of());
        }

        @Override
        public Message.Attach attach(Session session, List<ListenerKind> listeners) {
            return new Message.Attach(
                    session.id().value(),
                    session.name(),
                    new Message.Rights(List.of(), List.of(), false, session.spec().git()),
                    List.of(),
                    List.of(),
                    Optional.empty(),
                    new Message.Spent(0, 0, 0),
                    0,
                    listeners,
                    List.of());
        }

        @Override
        public Message.Attach attachWithoutSecrets(Session session, List<ListenerKind> listeners) {
            return attach(session, listeners);
        }

        @Override
        public List<Message> after(Session session) {
            return List.of();
        }

        @Override
        public void ended(SessionId id) {
            // It had nothing that could be given back.
        }
    }

    /// What the warden does with each message of one sidecar process. It reads no byte of its
    /// sandbox, but passes them on, so it is trusted with nothing but its own session.
    final class Hearing implements GatewayProcess.Listener {
        private final Session session;
        private final GatewayLink link;
        private final PortRecord record;
        private final boolean cutOff;
        private final LineDesk lines;
        private final GatewayProcess.Stages stages = new GatewayProcess.Stages();
        private final AtomicBoolean certifying = new AtomicBoolean();
        private volatile boolean admitted;
        private long begunNanos;
        private Optional<Long> lostNanos = Optional.empty();

        /// @param record the same for each process, so that none has lines of its own
        Hearing(Session session, GatewayLink link, PortRecord record, boolean cutOff) {
            this.session = session;
            this.link = link;
            this.record = record;
            this.cutOff = cutOff;
            this.lines = new LineDesk(session.id().value(), () -> gateways.connect(session));
        }

        @Override
        public GatewayProcess.Stages stages() {
            return stages;
        }

        @Override
        public void connected() {
            stages.channel().join().send(link.configuration());
        }

        private void begin() {
            begunNanos = System.nanoTime();
            if (gateways.has(session)) {
                Session now = link.session(session.id()).orElse(session);
                stages.channel()
                        .join()
                        .send(new Message.Carry(session.id().value(), !now.published().isEmpty()));
            } else {
                told(Optional.of("its gateway is not enrolled any more"));
            }
        }

        @Override
        public void admit(long pid) throws IOException {
            if (cutOff) {
                SidecarNetwork.admit(pid, session);
            }
            admitted = true;
            begin();
        }

        @Override
        public void failed(IOException reason) {
            link.failed(session.id(), SidecarNetwork.problem(reason));
        }

        @Override
        public void received(Message message) {
            switch (message) {
                case Message.Ready() -> stages.ready().complete(null);
                case Message _ when !admitted -> {
                    // It does not know for whom it is yet, so no sidecar of ours does.
                    LOG.log(System.Logger.Level.ERROR, "a sidecar asks before it was looked at");
                    stages.channel().join().close();
                }
                case Message.Attached(String id) -> link.attached(id);
                case Message.SocketsWanted(String id) -> link.socketsWanted(id);
                case Message.PortUsed used -> used(used);
                case Message.CertificateWanted wanted ->
                        Thread.ofVirtual().name("certificate").start(() -> certify(wanted));
                case Message.LineWanted _ -> line();
                case Message.CarriedBy(String _, String trouble, boolean refused) ->
                        carried(trouble, refused);
                default -> {
                    LOG.log(System.Logger.Level.ERROR, "a sidecar sent " + message.getClass());
                    stages.channel().join().close();
                }
            }
        }

        private void line() {
            ChannelServer to = stages.channel().join();
            if (!lines.wanted(to::answer)) {
                LOG.log(System.Logger.Level.ERROR, "a sidecar asks too often for connections");
                to.close();
            }
        }

        private void used(Message.PortUsed used) {
            if (!record.write(used)) {
                LOG.log(System.Logger.Level.ERROR, "what a sidecar says of its ports is not true");
                stages.channel().join().close();
            }
        }

        /// One at a time: a sidecar that is not ours any more must not use up what its machine may
        /// ask for.
        private void certify(Message.CertificateWanted wanted) {
            if (!certifying.compareAndSet(false, true)) {
                return;
            }
            try {
                stages.channel()
                        .join()
                        .send(
                                gateways.certify(
                                        session, wanted.key(), wanted.proof(), this::isWanted));
                Thread.sleep(CERTIFY_AGAIN_AFTER);
            } catch (OperationException e) {
                LOG.log(System.Logger.Level.WARNING, "no certificate for " + session.name(), e);
                told(Optional.of(String.valueOf(e.getMessage())));
                link.failed(session.id(), e);
                if (e.status() == OperationException.Fault.NOT_FOUND.status()) {
                    listener.over(session.id());
                } else if (!wanted.proof().isEmpty() && e.status() < 500) {
                    // An answer was lost, perhaps, and the gateway knows a newer key.
                    begin();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                certifying.set(false);
            }
        }

        private boolean isWanted() {
            return !stages.ended().isDone() && link(session.id()).equals(Optional.of(link));
        }

        /// The sidecar waits with the next wish for a certificate if there is no answer to one.
        private void carried(String trouble, boolean refused) {
            told(trouble.isEmpty() ? Optional.empty() : Optional.of(trouble));
            long now = System.nanoTime();
            lostNanos = trouble.isEmpty() ? Optional.empty() : lostNanos.or(() -> Optional.of(now));
            boolean late = now - begunNanos > BEGIN_AGAIN_AFTER.toNanos();
            if (late && !certifying.get() && (refused || isLost(now))) {
                begin();
            }
        }

        /// Whether another gateway may be better.
        private boolean isLost(long now) {
            try {
                return lostNanos.filter(since -> now - since > LOST_MAX.toNanos()).isPresent()
                        && gateways.hasSeveral(session);
            } catch (OperationException e) {
                LOG.log(System.Logger.Level.WARNING, "no gateway for " + session.name(), e);
                return false;
            }
        }

        private void told(Optional<String> trouble) {
            listener.told(session.id(), trouble.map(text -> "the gateway cannot be used: " + text));
        }

        @Override
        public void ended(String reason) {
            LOG.log(System.Logger.Level.INFO, "the channel to a sidecar is over: " + reason);
            stages.ended().complete(null);
        }

        /// A sidecar decides nothing, and what passes through its ports it says in a message.
        @Override
        public List<RecordOutcome> record(List<AuditEvent> batch) {
            return Collections.nCopies(batch.size(), RecordOutcome.NOT_RECORDED);
        }
    }
}
