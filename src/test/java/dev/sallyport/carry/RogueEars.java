package dev.sallyport.carry;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.CompletableFuture;

/// What a machine that keeps to no rule hears from the gateway.
final class RogueEars {
    private RogueEars() {}

    static final class Settled extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<Void> settled;

        Settled(CompletableFuture<Void> settled) {
            this.settled = settled;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof Http2SettingsFrame) {
                settled.complete(null);
            }
            ReferenceCountUtil.release(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            var _ = ctx.close();
        }
    }

    static final class Answer extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<String> answer;

        Answer(CompletableFuture<String> answer) {
            this.answer = answer;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof Http2HeadersFrame head) {
                answer.complete(String.valueOf(head.headers().status()));
            }
            ReferenceCountUtil.release(message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof Http2ResetFrame reset) {
                answer.complete("reset " + reset.errorCode());
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            answer.complete("closed");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            answer.complete("failed");
        }
    }
}
