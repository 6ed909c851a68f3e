package dev.sallyport.gateway;

import dev.sallyport.channel.Message;
import dev.sallyport.fleet.Enrolment;
import dev.sallyport.fleet.PodEnrolment;
import dev.sallyport.fleet.SignedRequest;
import io.github.bucket4j.Bucket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Requests of hosts to the warden. This process looks at who signed one, so that strangers cost
/// the warden nothing; the warden looks again, because this process may not be ours any more. A
/// stranger learns nothing: whatever is wrong, the connection is closed.
final class Knocks {
    static final String PATH = "/v1/host";
    static final String ENROL_PATH = "/v1/enrol";
    private static final int LINE_BYTES_MAX = 256;
    private static final int HEAD_BYTES_MAX = 2_048;
    private static final int BODY_BYTES_MAX = SignedRequest.CHARS_MAX;

    /// For a whole request, from the end of the handshake.
    private static final int ASK_SECONDS_MAX = 10;

    /// For the warden's answer.
    private static final int ANSWER_SECONDS_MAX = 90;

    private static final int WAITING_MAX = 256;

    /// Codes are long and have few tries; this only keeps the warden's desk clear.
    private final Bucket enrolments =
            Bucket.builder()
                    .addLimit(limit -> limit.capacity(16).refillGreedy(1, Duration.ofSeconds(1)))
                    .build();

    /// Anybody can sign the line of a pod: whose it is, the warden has to ask somebody else.
    private final Bucket podEnrolments =
            Bucket.builder()
                    .addLimit(limit -> limit.capacity(64).refillGreedy(8, Duration.ofSeconds(1)))
                    .build();

    private final Consumer<Message> warden;
    private final Arrivals arrivals;
    private final AtomicLong last = new AtomicLong();
    private final Map<Long, Channel> waiting = new ConcurrentHashMap<>();
    private volatile List<byte[]> hostKeys = List.of();
    private volatile List<String> codes = List.of();
    private volatile boolean pods;

    Knocks(Consumer<Message> warden, Arrivals arrivals) {
        this.warden = warden;
        this.arrivals = arrivals;
    }

    /// The hosts that may ask for something, by their keys, and who may become one.
    ///
    /// @param podsMayCome whether lines of pods are for the warden to look at
    void know(List<String> keys, List<String> openCodes, boolean podsMayCome) {
        hostKeys = keys.stream().map(key -> Base64.getDecoder().decode(key)).toList();
        codes = List.copyOf(openCodes);
        pods = podsMayCome;
    }

    void serve(Channel channel) {
        Knocking knocking = new Knocking();
        channel.pipeline()
                .addLast(new HttpServerCodec(LINE_BYTES_MAX, HEAD_BYTES_MAX, HEAD_BYTES_MAX))
                .addLast(new WholeRequest())
                .addLast(knocking);
        var _ =
                channel.eventLoop()
                        .schedule(() -> knocking.hurry(channel), ASK_SECONDS_MAX, TimeUnit.SECONDS);
    }

    void answered(Message.Reply reply) {
        Channel channel = waiting.remove(reply.id());
        if (channel != null) {
            ByteBuf json = Unpooled.copiedBuffer(reply.json(), StandardCharsets.UTF_8);
            FullHttpResponse response =
                    new DefaultFullHttpResponse(
                            HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(reply.status()), json);
            response.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
                    .set(HttpHeaderNames.CONNECTION, "close")
                    .set(HttpHeaderNames.CONTENT_LENGTH, json.readableBytes());
            channel.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private boolean isGood(FullHttpRequest request, String text) {
        if (!request.method().equals(HttpMethod.POST) || waiting.size() >= WAITING_MAX) {
            return false;
        }
        return switch (request.uri()) {
            case PATH -> SignedRequest.looksSigned(text, hostKeys);
            case ENROL_PATH -> PodEnrolment.isOne(text) ? isPod(text) : isEnrolment(text);
            default -> false;
        };
    }

    private boolean isEnrolment(String text) {
        return Enrolment.codeId(text).filter(codes::contains).isPresent()
                && enrolments.tryConsume(1);
    }

    private boolean isPod(String text) {
        return pods && PodEnrolment.looksSigned(text) && podEnrolments.tryConsume(1);
    }

    /// Says nothing to whoever sends too much, or asks whether it may send.
    private static final class WholeRequest extends HttpObjectAggregator {
        WholeRequest() {
            super(BODY_BYTES_MAX, true);
        }

        @Override
        protected @Nullable Object newContinueResponse(
                HttpMessage start, int maxContentLength, ChannelPipeline pipeline) {
            return null;
        }

        @Override
        protected void handleOversizedMessage(ChannelHandlerContext ctx, HttpMessage oversized) {
            var _ = ctx.close();
        }
    }

    /// One request, then the connection is over.
    private final class Knocking extends SimpleChannelInboundHandler<FullHttpRequest> {
        private boolean asked;

        /// What is not whole by now is not waited for.
        void hurry(Channel channel) {
            if (!asked) {
                var _ = channel.close();
            }
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
            String text = request.content().toString(StandardCharsets.UTF_8);
            if (asked || request.decoderResult().isFailure() || !isGood(request, text)) {
                var _ = ctx.close();
                return;
            }
            asked = true;
            arrivals.known(ctx.channel());
            var _ =
                    ctx.executor()
                            .schedule(
                                    () -> {
                                        var _ = ctx.close();
                                    },
                                    ANSWER_SECONDS_MAX,
                                    TimeUnit.SECONDS);
            long id = last.incrementAndGet();
            waiting.put(id, ctx.channel());
            ctx.channel().closeFuture().addListener(_ -> waiting.remove(id));
            warden.accept(new Message.Knock(id, text));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            var _ = ctx.close();
        }
    }
}
