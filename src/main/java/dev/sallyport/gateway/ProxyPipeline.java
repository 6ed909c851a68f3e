package dev.sallyport.gateway;

import dev.sallyport.egress.EgressTerms;
import dev.sallyport.egress.ProxyDoor;
import dev.sallyport.http.ConnectionTerms;
import dev.sallyport.http.HeadForm;
import dev.sallyport.http.RequestConnection;
import dev.sallyport.upstream.ReadTurns;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;

/// A connection to the proxy of a sandbox. After `CONNECT` the same handler goes on with it as on
/// port 443, see [SecurePipeline].
final class ProxyPipeline extends ChannelInitializer<Channel> {
    private final ConnectionTerms terms;
    private final EgressTerms egress;

    ProxyPipeline(ConnectionTerms terms, EgressTerms egress) {
        this.terms = terms;
        this.egress = egress;
    }

    @Override
    protected void initChannel(Channel channel) {
        channel.pipeline().addLast("turns", new ReadTurns(terms.session().get().id()));
        ProxyDoor door = new ProxyDoor(egress);
        channel.closeFuture().addListener(_ -> door.close());
        RequestConnection.addTo(channel.pipeline(), terms.withDoor(door), HeadForm.PROXY);
    }
}
