package dev.sallyport.gateway;

import dev.sallyport.audit.Recorder;
import dev.sallyport.audit.ThinnedRecorder;
import dev.sallyport.channel.Figure;
import dev.sallyport.channel.GatewayListener;
import dev.sallyport.channel.Message;
import dev.sallyport.config.GitHost;
import dev.sallyport.config.Limits;
import dev.sallyport.config.SecureResolver;
import dev.sallyport.egress.JsonRoom;
import dev.sallyport.forge.ApiDoors;
import dev.sallyport.git.Lender;
import dev.sallyport.http.ConnectionTotal;
import dev.sallyport.http.Door;
import dev.sallyport.http.RequestQuota;
import dev.sallyport.policy.Proposals;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.UsageMeter;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.Resolver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.unix.FileDescriptor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Does what the warden says. Everything that the gateway serves begins with a message; without a
/// warden there is no gateway.
final class Gateway implements GatewayListener {
    /// Makes the git door once the hosts and limits are known.
    interface GitDoors {
        Opened open(
                Limits limits,
                Client upstream,
                Recorder recorder,
                UsageMeter meter,
                Proposals proposals);

        /// The door, who gives sandboxes objects without it, and how both are doing.
        ///
        /// @param ended told of each session that has ended
        record Opened(
                Door door,
                Lender lender,
                Consumer<SessionId> ended,
                Map<Figure, LongSupplier> figures) {
            /// One that has nothing to tell.
            Opened(Door door, Lender lender, Consumer<SessionId> ended) {
                this(door, lender, ended, Map.of());
            }
        }
    }

    private final EventLoopGroup loops;
    private final Consumer<Message> warden;
    private final GitDoors gitDoors;
    private final Path work;
    private final Consumer<String> halt;
    private final Denials denials;
    private final CleanRecorder clean;
    private final ThinnedRecorder thinned;
    private final UsageMeter usage;
    private Optional<Sessions> sessions = Optional.empty();
    private @Nullable FigureReports figures;

    /// @param recorder that of the warden
    /// @param work a directory of this process alone
    /// @param halt ends this process at once; gets the reason
    Gateway(
            EventLoopGroup loops,
            Consumer<Message> warden,
            Recorder recorder,
            GitDoors gitDoors,
            Path work,
            Consumer<String> halt) {
        this.loops = loops;
        this.warden = warden;
        this.gitDoors = gitDoors;
        this.work = work;
        this.halt = halt;
        this.clean = new CleanRecorder(recorder);
        this.denials = new Denials(clean, clean::isWholeIn);
        this.thinned = new ThinnedRecorder(denials);
        this.usage = new UsageReports(loops, warden);
        var _ = loops.next().scheduleWithFixedDelay(thinned::tellWhatIsDue, 1, 1, TimeUnit.SECONDS);
    }

    /// To be called every few seconds, on the channel's event loop.
    void tellFigures() {
        FigureReports reports = figures;
        if (reports != null) {
            reports.tell();
        }
        sessions.ifPresent(served -> served.publicPort().expire());
    }

    /// Whether a text has a secret in it that this gateway holds.
    boolean isKnown(String text) {
        return clean.isKnown(text);
    }

    @Override
    public void received(Message message, List<FileDescriptor> descriptors) {
        switch (message) {
            case Message.Configure configure -> configure(configure);
            case Message.Hosts(List<Message.Host> hosts) ->
                    configured().reach(hosts.stream().map(Rights::host).toList());
            case Message.Attach attach -> configured().attach(attach, descriptors);
            case Message.Ports ports -> configured().ports(ports, descriptors);
            case Message.Sockets sockets -> configured().supply(sockets, descriptors);
            case Message.Detach(String session) -> configured().detach(new SessionId(session));
            case Message.LoginStored stored -> configured().stored(stored);
            case Message.Lend lend -> configured().lend(lend);
            case Message.Answered answer -> configured().answered(answer);
            case Message.PublicPort port -> configured().publicPort().open(port, descriptors);
            case Message.PublicPortClosed _ -> configured().publicPort().close();
            case Message.Badges badges -> configured().badges(badges);
            case Message.Reply reply -> configured().publicPort().answered(reply);
            case Message.Carry _, Message.Certified _, Message.Line _ ->
                    halt.accept("a message for a sidecar");
            case Message.Ready _,
                    Message.Attached _,
                    Message.SocketsWanted _,
                    Message.Used _,
                    Message.Lent _,
                    Message.Lending _,
                    Message.LoginRenewed _,
                    Message.Ask _,
                    Message.Withdraw _,
                    Message.Figures _,
                    Message.Knock _,
                    Message.CertificateWanted _,
                    Message.CarriedBy _,
                    Message.LineWanted _,
                    Message.PortUsed _ ->
                    halt.accept("a message of the gateway came back");
        }
    }

    @Override
    public void ended(String reason) {
        halt.accept(reason);
    }

    /// The sessions that are served.
    Sessions configured() {
        return sessions.orElseThrow(
                () -> new IllegalStateException("a session came before the configuration"));
    }

    private void configure(Message.Configure configure) {
        if (sessions.isPresent()) {
            halt.accept("a second configuration");
            return;
        }
        Limits limits = configure.limits();
        List<GitHost> hosts = configure.hosts().stream().map(Rights::host).toList();
        Optional<SecureResolver> resolver = configure.resolver().map(Rights::resolver);
        Client.Ways ways =
                Client.Ways.of(limits.upstream(), Resolver.of(resolver), Resolver.of(resolver));
        Client client = new Client(limits.upstream(), hosts, ways);
        ApiDoors apis = new ApiDoors(client, thinned, usage, limits.api());
        GitDoors.Opened git = gitDoors.open(limits, client, thinned, usage, apis.proposals());
        Shared shared = shared(limits, git.door(), ways, client, apis);
        Sessions served = new Sessions(shared, git, warden);
        sessions = Optional.of(served);
        figures =
                new FigureReports(shared.requests().times(), warden)
                        .with(Figure.SESSIONS, served::size)
                        .with(Figure.CONNECTIONS, shared.connections()::open)
                        .with(Figure.CONNECTIONS_MAX, shared.connections()::max)
                        .with(Figure.REQUESTS, shared.requests()::inFlight)
                        .with(Figure.REQUESTS_MAX, shared.requests()::max)
                        .with(Figure.REQUESTS_WAITING, shared.requests()::inLine)
                        .with(Figure.KEPT_CONNECTIONS, client::resting)
                        .with(
                                Figure.KEPT_CONNECTIONS_MAX,
                                limits.upstream()::keptConnectionsTotalMax)
                        .with(git.figures());
        warden.accept(new Message.Ready());
    }

    /// The route table of the front door is here.
    private Shared shared(Limits limits, Door git, Client.Ways ways, Client client, ApiDoors apis) {
        RouteTable routes =
                new RouteTable(
                        List.of(
                                new RouteTable.Route(RouteTable.GIT, git),
                                new RouteTable.Route("/policy", new PolicyDoor(limits)),
                                new RouteTable.Route("/why", new WhyDoor(denials)),
                                new RouteTable.Route(
                                        "/healthz",
                                        (_, head, answer) ->
                                                Pages.show(
                                                        head, answer, Pages.TEXT, () -> "ok\n"))),
                        thinned);
        return new Shared(
                loops,
                limits,
                routes,
                ways.web(),
                client,
                thinned,
                clean,
                denials,
                usage,
                new RequestQuota.Total(limits.sharing()),
                new ConnectionTotal(limits.sharing().connectionsTotalMax()),
                JsonRoom.ofGateway(work),
                apis);
    }
}
