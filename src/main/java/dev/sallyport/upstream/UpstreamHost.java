package dev.sallyport.upstream;

import dev.sallyport.config.GitHost;
import dev.sallyport.config.HostKind;
import dev.sallyport.policy.HostName;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.Optional;

/// A host as it is dialled: its name, the certificates it is verified against, and perhaps the
/// address that a person fixed.
///
/// @param plain whether it is no hosting service, so that its repositories have the names of
///   directories
record UpstreamHost(
        HostName name, SslContext tls, Optional<InetSocketAddress> dial, boolean plain) {
    static UpstreamHost of(GitHost host) {
        return new UpstreamHost(
                host.name(),
                Trust.of(host.caPem()),
                host.dial().map(InetLiteral::socketAddress),
                host.kind() == HostKind.PLAIN);
    }
}
