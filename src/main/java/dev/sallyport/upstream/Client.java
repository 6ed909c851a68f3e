package dev.sallyport.upstream;

import dev.sallyport.config.GitHost;
import dev.sallyport.config.HostKind;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// The only way out for requests. Each goes to the host its permit names and to no other; no
/// environment variable, proxy or redirect changes that. A connection serves the requests of one
/// session, to one host, with one secret ([ConnectionKey]).
public final class Client {
    /// Where names are looked up: for git and for the web apart, so that neither keeps the other
    /// waiting.
    public record Ways(Dialer git, Dialer web) {
        public static Ways of(Limits.Upstream limits, Resolver git, Resolver web) {
            return new Ways(new Dialer(limits, git), new Dialer(limits, web));
        }
    }

    /// What can be asked of a git host, of its API, or of where either keeps files.
    public sealed interface Order permits UpstreamRequest, ApiOrder, DownloadOrder, LfsOrder {}

    /// @param plain whether it is no hosting service, so that its repositories have the names of
    ///   directories
    /// @param api where its API is, if there is a door for one
    private record Host(Place place, boolean plain, Optional<Place> api) {
        static Host of(GitHost host) {
            Reach reach = new Reach(false, host.dial(), host.caPem());
            Optional<Place> api =
                    host.kind()
                            .forge()
                            .map(forge -> ApiHost.of(forge, host.name()).name())
                            .map(name -> Place.git(name, reach));
            boolean plain = host.kind() == HostKind.PLAIN;
            return new Host(Place.git(host.name(), reach), plain, api);
        }
    }

    private final Limits.Upstream limits;
    private volatile Map<HostName, Host> hosts;
    private final Ways ways;
    private final TlsContexts contexts = new TlsContexts();
    private final KeptConnections kept;
    private final Spellings spellings = new Spellings();

    /// One that asks the system's resolver.
    public Client(Limits.Upstream limits, List<GitHost> hosts) {
        this(
                limits,
                hosts,
                Ways.of(limits, Resolver.of(Optional.empty()), Resolver.of(Optional.empty())));
    }

    /// @throws IllegalArgumentException for certificates of a host that cannot be read
    public Client(Limits.Upstream limits, List<GitHost> hosts, Ways ways) {
        this.limits = limits;
        this.hosts = table(hosts);
        this.ways = ways;
        this.kept = new KeptConnections(limits);
    }

    /// From the next call on, other git hosts.
    ///
    /// @throws IllegalArgumentException as the constructor
    public void reach(List<GitHost> others) {
        hosts = table(others);
    }

    private Map<HostName, Host> table(List<GitHost> listed) {
        Map<HostName, Host> table = new HashMap<>();
        listed.forEach(host -> table.put(host.name(), Host.of(host)));
        listed.forEach(host -> host.caPem().ifPresent(contexts::require));
        return Map.copyOf(table);
    }

    /// Begins a call. What comes of it is told to `events`, later and on `loop`; empty when the git
    /// host is not one that was configured, or has no API where that is needed.
    public Optional<UpstreamCall> call(
            Order order, CredentialBook credentials, EventLoop loop, UpstreamEvents events) {
        return asked(order, hosts)
                .map(asked -> call(asked, Optional.empty(), credentials, loop, events));
    }

    private Optional<Asked> asked(Order order, Map<HostName, Host> table) {
        return switch (order) {
            case UpstreamRequest git -> {
                boolean suffixed = spellings.isSuffixed(git.permit().repo());
                yield find(table, git.permit().host())
                        .map(host -> git.asked(host.place(), suffixed, host.plain()));
            }
            case ApiOrder api ->
                    find(table, api.permit().host()).flatMap(Host::api).map(api::asked);
            case DownloadOrder file ->
                    find(table, file.git())
                            .filter(host -> host.api().isPresent())
                            .map(host -> file.asked(host.place().reach()));
            case LfsOrder lfs ->
                    find(table, lfs.permit().host())
                            .map(host -> lfs.asked(host.place(), store(lfs, host, table)));
        };
    }

    /// A store that is configured itself is reached as that says, and any other one where its git
    /// host is: no answer of a git host leads to a private address besides its own.
    private static Reach store(LfsOrder order, Host git, Map<HostName, Host> table) {
        Host store = order.store().flatMap(place -> find(table, place.host())).orElse(git);
        return store.place().reach();
    }

    private static Optional<Host> find(Map<HostName, Host> table, HostName name) {
        return Optional.ofNullable(table.get(name));
    }

    /// For the requests of one connection of a sandbox to hosts besides git.
    public Lane lane() {
        return new Lane(this);
    }

    UpstreamCall call(
            Asked asked,
            Optional<Lane> lane,
            CredentialBook credentials,
            EventLoop loop,
            UpstreamEvents events) {
        UpstreamCall call = new UpstreamCall(this, asked, lane, credentials, loop, events);
        loop.execute(call::start);
        return call;
    }

    /// The session is over or has other rights: nothing that was made with these is used again.
    public void end(CredentialBook credentials) {
        credentials.retire();
        kept.sweep();
        contexts.sweep();
    }

    /// How many connections rest until they are used again.
    public int resting() {
        return kept.size();
    }

    KeptConnections kept() {
        return kept;
    }

    Limits.Upstream limits() {
        return limits;
    }

    Spellings spellings() {
        return spellings;
    }

    /// A verified connection, perhaps with a channel that others have, too; fails with an
    /// [UpstreamException]. Both on the key's event loop, where whoever does not want it any more
    /// cancels.
    CompletableFuture<Connection> connect(Asked asked, ConnectionKey key) {
        Optional<Lane> lane = key.http2() ? key.lane() : Optional.empty();
        return lane.map(own -> own.shared().connect(asked, key)).orElseGet(() -> dial(asked, key));
    }

    /// As [#connect], with a channel of its own.
    CompletableFuture<Connection> dial(Asked asked, ConnectionKey key) {
        CompletableFuture<Connection> ready = new CompletableFuture<>();
        Dialer dialer = asked.isForGit() ? ways.git() : ways.web();
        CompletableFuture<Channel> dialled = dialer.dial(asked.permit(), key.place(), key.loop());
        var _ = ready.whenComplete((_, _) -> dialled.cancel(false));
        var _ =
                dialled.whenComplete(
                        (channel, problem) -> {
                            if (problem == null) {
                                open(channel, key, ready);
                            } else {
                                ready.completeExceptionally(problem);
                            }
                        });
        return ready;
    }

    private void open(Channel channel, ConnectionKey key, CompletableFuture<Connection> ready) {
        Optional<SslHandler> tls;
        try {
            tls =
                    key.place().tls()
                            ? Optional.of(contexts.handler(key, channel.alloc(), limits))
                            : Optional.empty();
        } catch (IllegalArgumentException e) {
            var _ = channel.close();
            ready.completeExceptionally(new UpstreamException(Refusal.INTERNAL, e));
            return;
        }
        Connection.open(channel, tls, key, this, ready);
    }

    /// Which repositories of plain hosts have a name without `.git`, as far as upstream was asked.
    /// All others are asked for with it, as every hosting service understands. From any thread.
    static final class Spellings {
        private static final int REPOS_MAX = 10_000;

        private final Map<RepoName, Boolean> bare =
                new LinkedHashMap<>(16, 0.75f, true) {
                    private static final long serialVersionUID = 1L;

                    @Override
                    protected boolean removeEldestEntry(Map.Entry<RepoName, Boolean> eldest) {
                        return size() > REPOS_MAX;
                    }
                };

        synchronized boolean isSuffixed(RepoName repo) {
            return !bare.containsKey(repo);
        }

        /// Upstream has it under this name.
        ///
        /// @param target that was asked for
        synchronized void found(RepoName repo, String target) {
            if (target.startsWith("/" + repo.owner() + "/" + repo.name() + ".git/")) {
                bare.remove(repo);
            } else {
                bare.put(repo, true);
            }
        }
    }
}
