package dev.sallyport.carry;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Questions that came as datagrams, each asked on a stream of its own as over TCP: two bytes of
/// length, then the message (RFC 1035, section 4.2.2). On one event loop.
final class DnsQuestions {
    private static final InetSocketAddress RESOLVER =
            new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 53);

    private static final int ASKED_MAX = 8;
    private static final int WAITING_MAX = 256;
    private static final int SECONDS_MAX = 5;
    private static final int MESSAGE_BYTES_MAX = 65_535;

    /// Gets a line, or runs the other one.
    interface Way {
        void whenUp(Consumer<Line> ready, Runnable failed);
    }

    private record Question(ByteBuf message, Consumer<Optional<ByteBuf>> answer) {
        void unanswered() {
            message.release();
            answer.accept(Optional.empty());
        }
    }

    private final Way way;
    private final Deque<Question> waiting = new ArrayDeque<>();
    private int asked;

    DnsQuestions(Way way) {
        this.way = way;
    }

    void ask(ByteBuf message, Consumer<Optional<ByteBuf>> answer) {
        Question question = new Question(message, answer);
        if (message.readableBytes() > MESSAGE_BYTES_MAX || waiting.size() >= WAITING_MAX) {
            question.unanswered();
            return;
        }
        waiting.add(question);
        next();
    }

    private void next() {
        if (asked < ASKED_MAX && !waiting.isEmpty()) {
            asked++;
            Question question = waiting.remove();
            Runnable failed =
                    () -> {
                        question.unanswered();
                        done();
                    };
            way.whenUp(
                    line -> line.connect(RESOLVER, stream -> begin(stream, question), failed),
                    failed);
        }
    }

    private void done() {
        asked--;
        next();
    }

    private void begin(Channel stream, Question question) {
        stream.pipeline()
                .addLast(
                        "frames",
                        new LengthFieldBasedFrameDecoder(MESSAGE_BYTES_MAX + 2, 0, 2, 0, 2))
                .addLast("answer", new Answer(question.answer()));
        Runnable late =
                () -> {
                    var _ = stream.close();
                };
        var deadline = stream.eventLoop().schedule(late, SECONDS_MAX, TimeUnit.SECONDS);
        stream.closeFuture()
                .addListener(
                        _ -> {
                            deadline.cancel(false);
                            done();
                        });
        ByteBuf length = stream.alloc().buffer(2).writeShort(question.message().readableBytes());
        var _ = stream.write(length);
        var _ = stream.writeAndFlush(question.message());
        stream.config().setAutoRead(true);
    }

    /// One answer, or the end of the stream, which says that there is none.
    private static final class Answer extends SimpleChannelInboundHandler<ByteBuf> {
        private final Consumer<Optional<ByteBuf>> answer;
        private boolean answered;

        Answer(Consumer<Optional<ByteBuf>> answer) {
            this.answer = answer;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            if (!answered) {
                answered = true;
                answer.accept(Optional.of(message.retain()));
            }
            var _ = ctx.close();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            var _ = ctx.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            if (!answered) {
                answered = true;
                answer.accept(Optional.empty());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            var _ = ctx.close();
        }
    }
}
