package dev.sallyport.warden;

import dev.sallyport.audit.AuditLog;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.Home;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.SealedFiles;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.control.Api;
import dev.sallyport.fixture.AuditLogs;
import dev.sallyport.metrics.Metrics;
import dev.sallyport.mint.AppApi;
import dev.sallyport.policy.SessionId;
import dev.sallyport.porter.Porter;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionLeases;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.SqliteSessionStore;
import dev.sallyport.session.Usage;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// The parts of a warden with a real store and record, a runtime that only pretends, and a gateway
/// that answers without being there.
final class WardenParts implements AutoCloseable {
    static final long HOME_BYTES_MAX = 1 << 20;

    final FakeRuntime runtime = new FakeRuntime();
    final Home home;
    final AuditLog audit;
    final SessionStore store;
    final Authorities authorities;
    final LinkMessages messages;
    final GatewayLink link;
    final OtherMachines others;
    final Sandboxes sandboxes;
    final LivePolicy live;
    final ReachRequests reach;
    final PolicyChanges policy;
    final SessionPlans plans;
    final Secrets secrets;
    final Homes homes;
    final LoginRenewals logins;
    final Approvals approvals;
    final AppTokens apps;
    final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    final Ledger ledger;
    final FakeClock clock = new FakeClock();
    volatile long homeBytesMax = HOME_BYTES_MAX;
    volatile boolean porterFails;

    /// Whether the sessions are attached to this gateway.
    volatile boolean held = true;

    /// Whether the gateway answers nothing any more.
    volatile boolean silent;

    WardenParts(Path temporary) throws IOException {
        home = new Home(temporary.toRealPath().resolve("home"));
        home.create();
        audit = AuditLogs.open(home.auditLog());
        store = SqliteSessionStore.open(home.database(), home.nativeLibraries());
        live = LivePolicy.load(home.policyFile());
        PolicyFile loaded = live.current();
        SecretFiles files = new SecretFiles(new SealedFiles(home.secrets(), loaded.key()));
        authorities = new Authorities(home.authorities(), loaded.key());
        ledger = new Ledger(audit);
        AppApi api =
                new AppApi(
                        loaded.limits().upstream(),
                        Optional.empty(),
                        loops.next(),
                        () -> clock.now().wall());
        apps = new AppTokens(files, new Minting(live::current, files, ledger, api, clock));
        others =
                new OtherMachines(
                        Patron.own(home), live, ledger, loops, leases(), Optional.empty());
        messages =
                new AttachMessages(
                        live::current,
                        files,
                        apps,
                        authorities,
                        _ -> Usage.NONE,
                        others.fleet()::badges);
        link = new GatewayLink(messages, leases());
        Runtimes runtimes = new Runtimes(_ -> runtime, _ -> Optional.empty());
        homes = new Homes(Patron.own(home), store, ledger, () -> homeBytesMax);
        sandboxes = over(store);
        reach = new ReachRequests(live::current, files);
        plans =
                new SessionPlans(
                        Patron.own(home),
                        live::current,
                        reach,
                        runtimes,
                        homes,
                        others.gateways(),
                        clock);
        logins = new LoginRenewals(files, ledger, link);
        secrets = new Secrets(files, apps, authorities, ledger, link, sandboxes, others);
        policy = new PolicyChanges(live, sandboxes, link, ledger);
        approvals = new Approvals(link, ledger, loaded.limits().approvals(), clock);
        apps.tell(AppTokens.Listener.of(link, sandboxes));
    }

    SessionLeases leases() {
        return new SessionLeases() {
            @Override
            public boolean holds(SessionId id) {
                return held;
            }

            @Override
            public boolean take(SessionId id) {
                return held;
            }

            @Override
            public Optional<Holder> holder(SessionId id) {
                return Optional.empty();
            }

            @Override
            public void release(SessionId id) {}

            @Override
            public void onLost(Consumer<SessionId> listener) {}

            @Override
            public void close() {}
        };
    }

    /// As the warden's own, with this store.
    Sandboxes over(SessionStore other) {
        return new Sandboxes(
                other,
                new Runtimes(_ -> runtime, _ -> Optional.empty()),
                homes,
                new Doors(porter(), link, others.sidecars()),
                ledger,
                authorities,
                clock);
    }

    /// What a gateway process would speak to.
    GatewayMessages messages(Ledger record) {
        return new GatewayMessages(
                link,
                record,
                new UsageBuffer(store, clock),
                logins,
                approvals,
                new SessionLines(link, live::current),
                new Metrics(Map::of, () -> 0L));
    }

    Operations operations() {
        return new Operations(
                sandboxes,
                plans,
                reach,
                policy,
                new Leases(sandboxes::destroy),
                secrets,
                new KeptFiles(Patron.own(home), ledger),
                homes,
                approvals,
                new OpenedPage(Patron.own(home), ledger, store, loops.next(), approvals::isOpen),
                new Operations.Daemon() {
                    @Override
                    public Map<String, String> work() {
                        return link.work().now();
                    }

                    @Override
                    public String metrics() {
                        return "";
                    }

                    @Override
                    public String metricsOtlp() {
                        return "";
                    }

                    @Override
                    public Api.Status status() {
                        return new Api.Status(
                                "test",
                                home.root().toString(),
                                1,
                                2,
                                0,
                                0,
                                Map.of(),
                                List.of(),
                                List.of());
                    }

                    @Override
                    public Api.Ending stop(Api.Shutdown how) {
                        return new Api.Ending(Optional.empty());
                    }
                });
    }

    /// A sandbox that only pretends to run, with a right to one repository.
    Session create(String name, Api.LifeRequest life) throws Exception {
        return sandboxes.create(plan(name, false, life));
    }

    Session plan(String name, boolean ephemeral, Api.LifeRequest life) throws Exception {
        return plans.plan(request(name, ephemeral, life));
    }

    Api.CreateSandbox request(String name, boolean ephemeral, Api.LifeRequest life)
            throws IOException {
        return request(name, ephemeral, life, List.of("acme/app"));
    }

    Api.CreateSandbox request(
            String name, boolean ephemeral, Api.LifeRequest life, List<String> repos)
            throws IOException {
        Path workspace = Files.createDirectories(home.root().resolveSibling("project"));
        return new Api.CreateSandbox(
                Optional.of(name),
                Optional.of("bubblewrap"),
                Optional.empty(),
                workspace.toString(),
                repos,
                Api.ReachRequest.STANDARD,
                GitSettings.STANDARD,
                ephemeral,
                life,
                Api.MountRequest.NONE,
                Api.ResourceRequest.STANDARD,
                Api.HardeningRequest.STANDARD,
                Api.HomeRequest.STANDARD,
                Optional.empty());
    }

    /// Opens nothing, and lets the gateway answer a moment later.
    private Porter porter() {
        return (_, _, _) -> {
            if (porterFails) {
                throw new IOException("no namespace");
            }
            Thread.ofVirtual().start(this::gatewayAnswers);
            return List.of();
        };
    }

    /// As a gateway process that takes every session.
    void gatewayAnswers() {
        try {
            for (int i = 0; i < 6_000 && !silent; i++) {
                store.contents().sessions().forEach(session -> link.attached(session.id().value()));
                Thread.sleep(10);
            }
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            homes.settle();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        apps.close();
        store.close();
        audit.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
