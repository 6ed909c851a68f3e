package dev.sallyport.warden;

import dev.sallyport.audit.AuditKey;
import dev.sallyport.audit.AuditLog;
import dev.sallyport.audit.AuditTerms;
import dev.sallyport.config.Home;
import dev.sallyport.config.Ownership;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.SealedFiles;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.confine.CachePages;
import dev.sallyport.confine.Jvm;
import dev.sallyport.control.Api;
import dev.sallyport.metrics.Metrics;
import dev.sallyport.policy.SessionId;
import dev.sallyport.porter.Porter;
import dev.sallyport.sandbox.LongWork;
import dev.sallyport.session.Moment;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.SessionStores;
import dev.sallyport.witness.Witnesses;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// The trusted process, put together: what it opens, in which order, and how it ends.
final class Warden implements Operations.Daemon {
    private static final System.Logger LOG = System.getLogger(Warden.class.getName());
    private static final int UPKEEP_SECONDS = 60;
    private static final int DOORS_AGAIN_SECONDS = 5;
    private static final Duration SHUTDOWN_MAX = Duration.ofSeconds(10);

    private final Patron patron;
    private final Home home;
    private final Ledger ledger;
    private final Homes homes;
    private final Sandboxes sandboxes;
    private final LongWork work;
    private final Runtimes runtimes;
    private final Leases leases;
    private final Secrets secrets;
    private final ReachRequests reach;
    private final SessionPlans plans;
    private final PolicyChanges policy;
    private final GatewaySupervisor supervisor;
    private final UsageBuffer usage;
    private final Approvals approvals;
    private final Reporting reporting;
    private final Metrics metrics;
    private final Optional<Integer> metricsPort;
    private final AppTokens apps;
    private final OtherMachines others;
    private final OpenedPage page;
    private final MultiThreadIoEventLoopGroup loops;
    private final CompletableFuture<Api.Shutdown> over = new CompletableFuture<>();

    private Warden(Patron patron, LivePolicy live, AuditLog audit, SessionStore store)
            throws IOException {
        this.patron = patron;
        PolicyFile policy = live.current();
        this.home = patron.home();
        policy.warnings().forEach(warning -> LOG.log(System.Logger.Level.WARNING, warning));
        if (policy.key().isPresent()) {
            policy.key().get().verify();
        }
        SecretFiles files = new SecretFiles(new SealedFiles(home.secrets(), policy.key()));
        // For the gateway, for people, for the page, for figures, for GitHub, for posts, for other
        // gateways and for sidecars; a thread begins when its loop is used.
        this.loops = new MultiThreadIoEventLoopGroup(8, EpollIoHandler.newFactory());
        this.ledger = new Ledger(audit);
        this.apps = new AppTokens(files, Minting.of(live, files, ledger, loops.next()));
        this.usage = new UsageBuffer(store, Moment::now);
        Authorities authorities = new Authorities(home.authorities(), policy.key());
        this.others = new OtherMachines(patron, live, ledger, loops, store.leases(), store.fleet());
        GatewayLink link =
                new GatewayLink(
                        new AttachMessages(
                                live::current,
                                files,
                                apps,
                                authorities,
                                usage::total,
                                others.fleet()::badges),
                        store.leases());
        this.work = link.work();
        this.runtimes = Runtimes.real(patron, work, others.fleet());
        this.homes =
                new Homes(patron, store, ledger, () -> live.current().sessions().homeBytesMax());
        Doors doors = new Doors(Porter.forThisProcess(), link, others.sidecars());
        link.supply().by(doors::supply);
        this.sandboxes =
                new Sandboxes(store, runtimes, homes, doors, ledger, authorities, Moment::now);
        usage.onUse(new CapWatch(sandboxes, usage, link)::used);
        store.leases().onLost(new LostLeases(doors, sandboxes.remarks(), ledger));
        this.leases = new Leases(sandboxes::destroy);
        this.secrets = new Secrets(files, apps, authorities, ledger, link, sandboxes, others);
        apps.tell(AppTokens.Listener.of(link, sandboxes));
        this.reach = new ReachRequests(live::current, files);
        this.plans =
                new SessionPlans(
                        patron,
                        live::current,
                        reach,
                        runtimes,
                        homes,
                        others.gateways(),
                        Moment::now);
        this.metricsPort = policy.reports().metricsPort();
        this.policy = new PolicyChanges(live, sandboxes, link, ledger);
        others.begin(link, sandboxes, plans, this.policy, authorities);
        this.approvals = new Approvals(link, ledger, policy.limits().approvals(), Moment::now);
        this.metrics = new Metrics(() -> SessionViews.states(sandboxes), this::restarts);
        this.supervisor = supervisor(live, link, new LoginRenewals(files, ledger, link));
        this.page = new OpenedPage(patron, ledger, store, loops.next(), approvals::isOpen);
        this.reporting =
                new Reporting(policy, files, ledger, approvals, page, metrics, loops.next());
    }

    private GatewaySupervisor supervisor(LivePolicy live, GatewayLink link, LoginRenewals logins)
            throws IOException {
        GatewayAccount account = GatewayAccount.choose(patron);
        account.sweep();
        MirrorDirectory.prepare(account, home);
        StagedJar program = StagedJar.own();
        if (account.separateUid().isPresent()) {
            program = program.stage(GatewayAccount.SYSTEM_STATE);
        }
        Path log = home.run().resolve("gateway.log");
        Ownership.createPrivateFile(log);
        GatewayCommand command =
                new GatewayCommand(
                        Jvm.GATEWAY,
                        System.getProperty("java.home", ""),
                        program,
                        account,
                        Optional.empty());
        others.starting(command);
        SessionLines lines = new SessionLines(link, live::current);
        return new GatewaySupervisor(
                command,
                loops.next(),
                link,
                () ->
                        new GatewayMessages(link, ledger, usage, logins, approvals, lines, metrics)
                                .hearing(others.fleet()::knock),
                log);
    }

    /// Runs until somebody asks it to end.
    ///
    /// @param closed counted down by the caller when everything is put away; a signal waits for it
    static void run(Patron patron, CountDownLatch closed) throws IOException, OperationException {
        Home home = patron.home();
        LivePolicy live = LivePolicy.load(home.policyFile());
        try (SessionStore store = SessionStores.open(home, live.current().store());
                AuditLog audit =
                        AuditLog.open(
                                home.auditLog(),
                                new AuditTerms(
                                        live.current().audit(),
                                        AuditKey.open(home.auditKey()),
                                        store,
                                        Witnesses.of(live.current(), store.witness())))) {
            new Warden(patron, live, audit, store).serve(closed);
        }
    }

    private void serve(CountDownLatch closed) throws IOException, OperationException {
        ledger.record("warden.start", Map.of("version", version()));
        Thread gateway = supervisor.start();
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
        endOnSignal(closed);
        Thread takeOver = Thread.ofVirtual().unstarted(() -> {});
        try {
            Recovery recovery = new Recovery(sandboxes, runtimes, leases);
            policy.begin();
            recovery.expect();
            Upkeep upkeep = new Upkeep(sandboxes, usage);
            schedule(clock, upkeep);
            others.schedule(clock);
            List<Operation> table = new ArrayList<>(operations().table());
            table.addAll(others.operations(sandboxes));
            page.offer(table);
            try (ControlServer control = ControlServer.open(loops.next(), patron, table, leases);
                    MetricsPort _ = MetricsPort.open(loops.next(), metricsPort, metrics::text)) {
                leases.beginGrace();
                LOG.log(System.Logger.Level.INFO, "ready on " + control.socket());
                takeOver =
                        Thread.ofVirtual()
                                .name("take-over")
                                .start(() -> begin(recovery, clock, upkeep, others));
                Api.Shutdown how = over.join();
                if (how.keepSandboxes()) {
                    leases.leave();
                }
                clock.shutdownNow();
                others.giveBack();
                if (!how.keepSandboxes()) {
                    new StopAll(sandboxes).run();
                }
            }
        } finally {
            clock.shutdownNow();
            takeOver.interrupt();
            join(takeOver);
            page.shut();
            others.sidecars().close();
            reporting.close();
            supervisor.stop();
            join(gateway);
            usage.flush();
            apps.close();
            loops.shutdownGracefully(100, 1_000, TimeUnit.MILLISECONDS).syncUninterruptibly();
        }
    }

    private Operations operations() {
        return new Operations(
                sandboxes,
                plans,
                reach,
                policy,
                leases,
                secrets,
                new KeptFiles(patron, ledger),
                homes,
                approvals,
                page,
                this);
    }

    /// While people are answered already.
    private static void begin(
            Recovery recovery, Executor clock, Upkeep upkeep, OtherMachines others) {
        try {
            long began = System.nanoTime();
            recovery.takeOver();
            others.fleet().open();
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            LOG.log(System.Logger.Level.INFO, "all sandboxes taken over after " + took);
            clock.execute(upkeep::run);
            recovery.sweep();
        } catch (OperationException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "not all sandboxes are taken over", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void schedule(ScheduledExecutorService clock, Upkeep upkeep) {
        var _ = clock.scheduleWithFixedDelay(usage::flush, 1, 1, TimeUnit.SECONDS);
        var _ = clock.scheduleWithFixedDelay(policy::notice, 1, 1, TimeUnit.SECONDS);
        var _ = clock.scheduleWithFixedDelay(approvals::expire, 1, 1, TimeUnit.SECONDS);
        var _ = clock.scheduleWithFixedDelay(apps::pass, 1, 1, TimeUnit.SECONDS);
        reporting.schedule(clock);
        var _ =
                clock.scheduleWithFixedDelay(
                        this::openMissing,
                        DOORS_AGAIN_SECONDS,
                        DOORS_AGAIN_SECONDS,
                        TimeUnit.SECONDS);
        var _ =
                clock.scheduleWithFixedDelay(
                        upkeep::run, UPKEEP_SECONDS, UPKEEP_SECONDS, TimeUnit.SECONDS);
        CachePages.giveBackWith(clock);
    }

    /// Doors that could not be opened, and ports.
    private void openMissing() {
        sandboxes.openMissing();
        for (SessionId id : sandboxes.rights().doors().lackingPorts()) {
            try {
                sandboxes.tell(id);
            } catch (OperationException e) {
                LOG.log(System.Logger.Level.WARNING, "ports of " + id + " are missing", e);
            }
        }
    }

    @Override
    public Map<String, String> work() {
        return work.now();
    }

    @Override
    public Api.Ending stop(Api.Shutdown how) throws OperationException {
        if (!how.keepSandboxes()) {
            // Refused while nobody can say what would have to be stopped.
            sandboxes.list();
        }
        Optional<String> unrecorded =
                ledger.tryToRecord(
                        "warden.stop",
                        Map.of("keep-sandboxes", Boolean.toString(how.keepSandboxes())));
        over.complete(how);
        return new Api.Ending(unrecorded);
    }

    /// A signal ends only the warden, as a crash would: a service manager that restarts us must not
    /// end people's work.
    private void endOnSignal(CountDownLatch closed) {
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform()
                                .unstarted(
                                        () -> {
                                            if (over.complete(new Api.Shutdown(true))) {
                                                await(closed);
                                            }
                                        }));
    }

    private static void await(CountDownLatch closed) {
        try {
            var _ = closed.await(SHUTDOWN_MAX.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join(SHUTDOWN_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Asked for when it is there.
    private long restarts() {
        return supervisor.restarts();
    }

    @Override
    public String metrics() {
        return metrics.text();
    }

    @Override
    public String metricsOtlp() {
        return metrics.otlp();
    }

    /// Whoever asks what is wrong with the daemon is told when it is the store or the disk.
    @Override
    public Api.Status status() {
        List<String> troubles = new ArrayList<>(reporting.troubles());
        ledger.trouble().ifPresent(troubles::add);
        int count = 0;
        try {
            count = sandboxes.list().size();
        } catch (OperationException e) {
            troubles.add(e.problem().message() + " " + e.problem().remedy());
        }
        return new Api.Status(
                version(),
                home.root().toString(),
                ProcessHandle.current().pid(),
                supervisor.pid(),
                supervisor.restarts(),
                count,
                runtimes.states(),
                policy.notices(),
                troubles);
    }

    static String version() {
        return Optional.ofNullable(Warden.class.getPackage().getImplementationVersion())
                .orElse("development");
    }
}
