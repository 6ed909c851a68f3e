package dev.sallyport.gateway;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;

/// A listener behind which there is nothing yet.
final class ClosedPipeline extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel channel) {
        var _ = channel.close();
    }
}
