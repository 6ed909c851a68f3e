package dev.sallyport.gateway;

import dev.sallyport.config.Limits;
import dev.sallyport.dns.DnsAnswers;
import dev.sallyport.dns.DnsRate;
import dev.sallyport.dns.DnsTcpHandler;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;

/// A TCP connection to a sandbox's resolver: two bytes of length, then a message (RFC 1035, section
/// 4.2.2).
final class DnsTcpPipeline extends ChannelInitializer<Channel> {
    /// More than any question with options needs.
    private static final int MESSAGE_BYTES_MAX = 1_232;

    private final DnsAnswers answers;
    private final DnsRate rate;
    private final Limits.Dns limits;

    DnsTcpPipeline(DnsAnswers answers, DnsRate rate, Limits.Dns limits) {
        this.answers = answers;
        this.rate = rate;
        this.limits = limits;
    }

    @Override
    protected void initChannel(Channel channel) {
        channel.pipeline()
                .addLast("frames", new LengthFieldBasedFrameDecoder(MESSAGE_BYTES_MAX, 0, 2, 0, 2))
                .addLast("dns", new DnsTcpHandler(answers, rate, limits));
    }
}
