package dev.sallyport.gateway;

import dev.sallyport.dns.DnsAnswers;
import dev.sallyport.dns.DnsRate;
import dev.sallyport.dns.DnsUdpHandler;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;

/// The datagram socket of a sandbox's resolver.
final class DnsUdpPipeline extends ChannelInitializer<Channel> {
    private final DnsAnswers answers;
    private final DnsRate rate;

    DnsUdpPipeline(DnsAnswers answers, DnsRate rate) {
        this.answers = answers;
        this.rate = rate;
    }

    @Override
    protected void initChannel(Channel channel) {
        channel.pipeline().addLast("dns", new DnsUdpHandler(answers, rate));
    }
}
