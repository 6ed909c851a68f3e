package dev.sallyport.upstream;

import dev.sallyport.config.GitHost;
import dev.sallyport.policy.HostName;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.Optional;

/// A host as it is dialled: its name, the certificates it is verified against, and perhaps the
/// address that a person fixed.
record UpstreamHost(HostName name, SslContext tls, Optional<InetSocketAddress> dial) {
    static UpstreamHost of(GitHost host) {
        return new UpstreamHost(
                host.name(), Trust.of(host.caPem()), host.dial().map(InetLiteral::socketAddress));
    }
}
