package dev.sallyport.warden;

import dev.sallyport.cluster.PodReview;
import dev.sallyport.config.AgeKey;
import dev.sallyport.config.Home;
import dev.sallyport.config.Ownership;
import dev.sallyport.fleet.HostKey;
import dev.sallyport.fleet.SharedRecords;
import dev.sallyport.host.GatewayClient;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionLeases;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What this machine has to do with others (ADR 37): it may be the gateway of their sandboxes, and
/// its own sandboxes may have a gateway there.
final class OtherMachines {
    private static final int TELL_AGAIN_HOURS = 1;
    private static final int SETTLE_SECONDS = 30;
    private static final int LOOK_SECONDS = 1;

    private static final System.Logger LOG = System.getLogger(OtherMachines.class.getName());

    private final Home home;
    private final LivePolicy live;
    private final Ledger ledger;
    private final Fleet fleet;
    private final RemoteGateways gateways;
    private final Sidecars sidecars;
    private final CompletableFuture<GatewayCommand> command = new CompletableFuture<>();

    private final SessionLeases leases;
    private final FleetFiles.Source files;
    private final StoreSight sight;
    private @Nullable FleetUpkeep upkeep;

    /// @param leases says which sessions may be served
    /// @param shared with other gateways
    OtherMachines(
            Patron patron,
            LivePolicy live,
            Ledger ledger,
            EventLoopGroup loops,
            SessionLeases leases,
            Optional<SharedRecords> shared)
            throws IOException {
        this.home = patron.home();
        this.live = live;
        this.ledger = ledger;
        this.leases = leases;
        this.files = new FleetFiles.Source(home.fleet(), live.current().key(), shared);
        this.sight = new StoreSight(shared.isPresent(), System::nanoTime);
        this.fleet =
                new Fleet(
                        files,
                        ledger,
                        patron,
                        live.current()
                                .kubernetes()
                                .map(
                                        cluster ->
                                                new PodReview(
                                                        cluster,
                                                        live.current().limits().upstream(),
                                                        loops.next())),
                        sight);
        this.gateways =
                new RemoteGateways(
                        home.gateways(),
                        live.current().key(),
                        new GatewayClient(() -> live.current().limits().upstream(), loops.next()),
                        ledger);
        Path log = home.run().resolve("sidecar.log");
        Ownership.createPrivateFile(log);
        this.sidecars =
                new Sidecars(
                        () ->
                                new Sidecars.Launch(
                                        command.join(),
                                        loops.next(),
                                        () -> live.current().limits(),
                                        leases,
                                        ledger,
                                        log),
                        gateways);
    }

    Fleet fleet() {
        return fleet;
    }

    RemoteGateways gateways() {
        return gateways;
    }

    Sidecars sidecars() {
        return sidecars;
    }

    /// How processes are started; a sidecar that is needed before waits for it.
    void starting(GatewayCommand how) {
        command.complete(how);
    }

    void begin(
            GatewayLink link,
            Sandboxes sandboxes,
            SessionPlans plans,
            PolicyChanges policy,
            Authorities authorities) {
        Neighbours around = new Neighbours(files, leases, sandboxes, authorities, policy, ledger);
        upkeep = new FleetUpkeep(files, fleet, sandboxes, link, around, sight);
        fleet.begin(
                link,
                sandboxes,
                (host, request, made) -> {
                    policy.look();
                    return policy.under(
                            () ->
                                    around.made(
                                            () -> {
                                                Session planned = plans.planRemote(host, request);
                                                made.with(planned);
                                                return sandboxes.create(planned);
                                            }));
                },
                new StoredLogins(plans.reach(), ledger),
                around);
        sidecars.tell(
                new Sidecars.Listener() {
                    @Override
                    public void told(SessionId session, Optional<String> trouble) {
                        sandboxes.remarks().set(session, Remarks.Topic.GATEWAY, trouble);
                    }

                    @Override
                    public void over(SessionId session) {
                        Thread.ofVirtual().name("over").start(() -> end(sandboxes, session));
                    }
                });
    }

    /// As if it had been ended here.
    private static void end(Sandboxes sandboxes, SessionId session) {
        try {
            sandboxes.revoke(session);
        } catch (OperationException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "its gateway has ended it: " + session, e);
        }
    }

    /// Encrypts keys on disk to the key that is configured.
    void seal() throws IOException {
        Optional<AgeKey> key = live.current().key();
        if (key.isPresent() && files.exists()) {
            files.sealing(key.get()).seal();
        }
        if (key.isPresent() && Files.isDirectory(home.gateways())) {
            HostKey.seal(home.gateways(), key.get());
            gateways.seal();
        }
    }

    List<Operation> operations(Sandboxes sandboxes) {
        return new FleetOperations(fleet, gateways, sandboxes).table();
    }

    /// Certificates change with time, and lapse. What is done about it may take longer than others
    /// can wait.
    void schedule(ScheduledExecutorService clock) {
        FleetUpkeep begun = Objects.requireNonNull(upkeep, "it has not begun");
        var _ =
                clock.scheduleWithFixedDelay(
                        fleet::tellAgain, TELL_AGAIN_HOURS, TELL_AGAIN_HOURS, TimeUnit.HOURS);
        var _ =
                clock.scheduleWithFixedDelay(
                        () -> Thread.ofVirtual().name("lapsed").start(begun::settle),
                        SETTLE_SECONDS,
                        SETTLE_SECONDS,
                        TimeUnit.SECONDS);
        var _ =
                clock.scheduleWithFixedDelay(
                        begun::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    }

    /// Another gateway with the same store may have the sessions of other machines from now on.
    void giveBack() {
        fleet.leave();
    }

    /// What a person asks for on this machine is not this machine's to give.
    static void requireOwnRules(Session session) throws OperationException {
        if (session.isCarried()) {
            throw OperationException.conflict(
                    "The rules of this sandbox are those of its gateway "
                            + session.asked().machine().orElse("")
                            + ".",
                    "Change them on the gateway's machine.");
        }
    }

    /// Ports are those of the machine that the sandbox is on.
    static void requireHere(Session session) throws OperationException {
        if (session.spec().runtime() == RuntimeKind.REMOTE) {
            throw OperationException.conflict(
                    "This sandbox is on another machine, "
                            + session.asked().machine().orElse("")
                            + ".",
                    "Publish and remove its ports there.");
        }
    }
}
