package dev.sallyport.gateway;

import dev.sallyport.http.ConnectionTerms;
import dev.sallyport.http.Door;
import dev.sallyport.http.HeadForm;
import dev.sallyport.http.RequestConnection;
import dev.sallyport.http.RequestDecoder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/// A connection to port 80 of a sandbox. The address that was dialled decides what it talks to: the
/// front door on 127.0.0.1, the door for everything else on all other addresses.
final class FrontPipeline extends ChannelInitializer<Channel> {
    private static final InetAddress FRONT = InetAddress.ofLiteral("127.0.0.1");

    private final ConnectionTerms front;
    private final ConnectionTerms elsewhere;
    private final ChannelGroup connections;

    /// @param front with the door of 127.0.0.1
    /// @param elsewhere the door of all synthetic addresses
    /// @param connections closes what joins it after the session has ended
    FrontPipeline(ConnectionTerms front, Door elsewhere, ChannelGroup connections) {
        this.front = front;
        this.elsewhere = front.withDoor(elsewhere);
        this.connections = connections;
    }

    @Override
    protected void initChannel(Channel channel) {
        connections.add(channel);
        ConnectionTerms terms = isFront(channel) ? front : elsewhere;
        RequestDecoder decoder = new RequestDecoder(terms.limits(), HeadForm.FRONT);
        channel.pipeline()
                .addLast("decoder", decoder)
                .addLast("connection", new RequestConnection(decoder, terms));
    }

    private static boolean isFront(Channel channel) {
        return channel.localAddress() instanceof InetSocketAddress local
                && FRONT.equals(local.getAddress());
    }
}
