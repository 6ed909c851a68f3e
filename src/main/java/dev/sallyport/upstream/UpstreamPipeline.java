package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.TimeUnit;

/// The handlers of one connection upstream, in wire order.
final class UpstreamPipeline extends ChannelInitializer<SocketChannel> {
    private static final int PIECE_BYTES_MAX = 65_536;
    private static final int STATUS_LINE_BYTES_MAX = 1_024;

    private final UpstreamHost host;
    private final Limits.Upstream limits;
    private final UpstreamExchange exchange;

    UpstreamPipeline(UpstreamHost host, Limits.Upstream limits, UpstreamExchange exchange) {
        this.host = host;
        this.limits = limits;
        this.exchange = exchange;
    }

    @Override
    protected void initChannel(SocketChannel channel) {
        ChannelPipeline pipeline = channel.pipeline();
        pipeline.addLast("turns", new ReadTurns(exchange.session()));
        pipeline.addLast("tls", tls(channel));
        pipeline.addLast("http", codec());
        pipeline.addLast("exchange", exchange);
    }

    /// The name goes into SNI and is what the certificate must be for, whatever address was
    /// dialled.
    private SslHandler tls(SocketChannel channel) {
        SslHandler tls =
                host.tls().newHandler(channel.alloc(), host.name().value(), exchange.port());
        tls.setHandshakeTimeout(limits.tlsHandshakeSecondsMax(), TimeUnit.SECONDS);
        tls.setCloseNotifyFlushTimeoutMillis(1_000);
        return tls;
    }

    private HttpClientCodec codec() {
        HttpDecoderConfig config =
                new HttpDecoderConfig()
                        .setMaxInitialLineLength(
                                Math.min(STATUS_LINE_BYTES_MAX, limits.headBytesMax()))
                        .setMaxHeaderSize(limits.headBytesMax())
                        .setMaxChunkSize(PIECE_BYTES_MAX)
                        .setAllowDuplicateContentLengths(false)
                        .setValidateHeaders(true);
        return new HttpClientCodec(config, false, true);
    }
}
