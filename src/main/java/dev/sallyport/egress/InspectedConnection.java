package dev.sallyport.egress;

import dev.sallyport.http.ConnectionTerms;
import dev.sallyport.http.HeadForm;
import dev.sallyport.http.Http2Connection;
import dev.sallyport.http.RequestConnection;
import dev.sallyport.http.RequestDecoder;
import dev.sallyport.policy.Refusal;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;

/// What comes after the TLS of an inspected connection: the handlers of the protocol that was
/// agreed on. It stays between both, so that a broken record closes the connection and is nobody's
/// failed request.
final class InspectedConnection extends ChannelInboundHandlerAdapter {
    private final ConnectionTerms terms;

    InspectedConnection(ConnectionTerms terms) {
        this.terms = terms;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (!(event instanceof SslHandshakeCompletionEvent handshake)) {
            ctx.fireUserEventTriggered(event);
        } else if (handshake.isSuccess()) {
            serve(ctx);
        } else {
            terms.log().refused(Refusal.BAD_HELLO);
            var _ = ctx.close();
        }
    }

    private void serve(ChannelHandlerContext ctx) {
        ChannelPipeline pipeline = ctx.pipeline();
        String protocol = pipeline.get(SslHandler.class).applicationProtocol();
        if (ApplicationProtocolNames.HTTP_2.equals(protocol)) {
            Http2Connection.addTo(pipeline, terms);
        } else {
            RequestDecoder decoder = new RequestDecoder(terms.limits(), HeadForm.WEB);
            pipeline.addLast("decoder", decoder)
                    .addLast("connection", new RequestConnection(decoder, terms));
        }
        ctx.fireChannelActive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        var _ = ctx.close();
    }
}
