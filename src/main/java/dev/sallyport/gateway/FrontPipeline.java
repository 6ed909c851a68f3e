package dev.sallyport.gateway;

import dev.sallyport.egress.WebDoors;
import dev.sallyport.http.ConnectionTerms;
import dev.sallyport.http.Door;
import dev.sallyport.http.HeadForm;
import dev.sallyport.http.RequestConnection;
import dev.sallyport.http.RequestDecoder;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.upstream.ReadTurns;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import java.net.InetAddress;

/// A connection to port 80 of a sandbox. The address that was dialled decides what it talks to: the
/// front door on 127.0.0.1, the host that the address stands for on all others.
final class FrontPipeline extends ChannelInitializer<Channel> {
    private static final int HTTP_PORT = 80;
    private static final InetAddress FRONT = InetAddress.ofLiteral("127.0.0.1");

    private final ConnectionTerms front;
    private final PlainHosts elsewhere;
    private final ChannelGroup connections;

    /// @param front with the door of 127.0.0.1
    /// @param connections closes what joins it after the session has ended
    FrontPipeline(ConnectionTerms front, PlainHosts elsewhere, ChannelGroup connections) {
        this.front = front;
        this.elsewhere = elsewhere;
        this.connections = connections;
    }

    @Override
    protected void initChannel(Channel channel) {
        connections.add(channel);
        channel.pipeline().addLast("turns", new ReadTurns(front.session().get().id()));
        if (FRONT.equals(MeantHost.address(channel))) {
            serve(channel, front.door(), HeadForm.FRONT);
        } else {
            serveHost(channel, HTTP_PORT);
        }
    }

    /// The host that the dialled address stands for.
    ///
    /// @param port that was dialled
    void serveHost(Channel channel, int port) {
        switch (elsewhere.meantBy(channel, port)) {
            case PlainHosts.Refused(Door door) -> serve(channel, door, HeadForm.FRONT);
            case PlainHosts.Allowed(EgressPermit permit) -> {
                WebDoors.Connection door = elsewhere.open(permit);
                channel.closeFuture().addListener(_ -> door.close());
                serve(channel, door, HeadForm.WEB);
            }
        }
    }

    private void serve(Channel channel, Door door, HeadForm form) {
        RequestDecoder decoder = new RequestDecoder(front.limits(), form);
        channel.pipeline()
                .addLast("decoder", decoder)
                .addLast("connection", new RequestConnection(decoder, front.withDoor(door)));
    }
}
