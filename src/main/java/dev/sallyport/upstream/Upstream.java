package dev.sallyport.upstream;

import dev.sallyport.config.GitHost;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.policy.HostName;
import io.netty.channel.EventLoop;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The only way out. Each call gets a connection of its own, to the host its permit names and to no
/// other; no environment variable, proxy or redirect changes that.
public final class Upstream {
    private final Limits.Upstream limits;
    private final Map<HostName, UpstreamHost> hosts;
    private final Resolver resolver;
    private final Spellings spellings = new Spellings();

    /// One that asks the system's resolver.
    public Upstream(Limits.Upstream limits, List<GitHost> hosts) {
        this(limits, hosts, Resolver.of(Optional.empty()));
    }

    public Upstream(Limits.Upstream limits, List<GitHost> hosts, Resolver resolver) {
        Map<HostName, UpstreamHost> table = new HashMap<>();
        hosts.forEach(host -> table.put(host.name(), UpstreamHost.of(host)));
        this.limits = limits;
        this.hosts = Map.copyOf(table);
        this.resolver = resolver;
    }

    /// Begins a call. What comes of it is told to `events`, later and on `loop`; empty when the
    /// host is not one that was configured.
    public Optional<UpstreamCall> call(
            UpstreamRequest request,
            CredentialBook credentials,
            EventLoop loop,
            UpstreamEvents events) {
        UpstreamHost host = hosts.get(request.permit().host());
        if (host == null) {
            return Optional.empty();
        }
        UpstreamCall call =
                new UpstreamCall(host, request, credentials, limits, loop, events, spellings);
        call.start(resolver);
        return Optional.of(call);
    }
}
