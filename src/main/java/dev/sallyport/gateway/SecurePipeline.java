package dev.sallyport.gateway;

import dev.sallyport.egress.EgressTerms;
import dev.sallyport.egress.SecureConnection;
import dev.sallyport.policy.HostName;
import dev.sallyport.session.NameTable;
import dev.sallyport.upstream.ReadTurns;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import java.util.Optional;

/// A connection to port 443 of a sandbox. The address that was dialled says which host is meant;
/// one that stands for no host, 127.0.0.1 among them, is refused.
final class SecurePipeline extends ChannelInitializer<Channel> {
    private static final int HTTPS_PORT = 443;

    private final EgressTerms terms;
    private final NameTable names;

    SecurePipeline(EgressTerms terms, NameTable names) {
        this.terms = terms;
        this.names = names;
    }

    @Override
    protected void initChannel(Channel channel) {
        channel.pipeline().addLast("turns", new ReadTurns(terms.session().get().id()));
        Optional<HostName> host = MeantHost.of(channel, names, terms.session().get().policy());
        if (host.isPresent()) {
            channel.pipeline()
                    .addLast("secure", SecureConnection.transparent(terms, host.get(), HTTPS_PORT));
        } else {
            String address = MeantHost.address(channel).getHostAddress();
            SecureConnection.refuseUnnamed(terms, channel, address);
        }
    }
}
