package dev.sallyport.http;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.LiveSession;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A client and a door of one connection, so that a situation is written once and happens on either
/// wire. Keeps what the door heard, what was answered and recorded, and every buffer.
abstract sealed class Twin implements AutoCloseable permits Http1Twin, Http2Twin {
    static final int IDLE_SECONDS = 5;
    static final int REQUEST_SECONDS = 20;
    static final int WAIT_SECONDS = 3;
    static final int PLACES = 2;
    static final Limits LIMITS = limits();

    /// One answer: the status, with that of an interim one before it, and what there is of a body.
    ///
    /// @param end `whole`, `cut`, or `pending`
    record Answer(String status, Map<String, String> fields, String body, String end) {
        boolean isWhole() {
            return end.equals("whole");
        }

        /// A refusal by its reason, since its text has an id.
        @Override
        public String toString() {
            String reason = fields.get("sallyport-reason");
            boolean page = reason != null && body.contains("reason: " + reason);
            String text = page ? "page" : body.length() > 30 ? body.length() + " bytes" : body;
            return (status + " " + (reason == null ? "" : reason + " ") + text).strip() + " " + end;
        }
    }

    /// In the order of its happening.
    final List<String> heard = new ArrayList<>();

    final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(false);
    Consumer<Responder> onOpen = _ -> {};
    Consumer<Responder> onBody = _ -> {};
    Consumer<Responder> onEnd = responder -> answer(responder, 200, "served");
    Runnable onAbort = () -> {};
    private final Stall stall = new Stall();
    private @Nullable Responder last;

    @Override
    public abstract void close();

    abstract EmbeddedChannel channel();

    abstract RequestQuota quota();

    abstract List<AuditEvent> recorded();

    abstract void recording(Supplier<CompletableFuture<Void>> outcome);

    /// A request without a body.
    abstract void ask(String method, String path, String... fields);

    /// A head with a body to come, of this length if it is not negative.
    abstract void post(String path, int length, String... fields);

    abstract void body(String piece);

    abstract void bodyEnd();

    abstract void trailers(String name, String value);

    /// Goes on with something that no body has.
    abstract void malformed();

    /// The client does not want the answer any more.
    abstract void goAway();

    abstract void seconds(int seconds);

    /// All answers so far, in the order of the requests.
    abstract List<Answer> answers();

    /// Whether the client was told that no more of the request is wanted.
    abstract boolean isStopped();

    void get() {
        ask("GET", "/");
    }

    Responder responder() {
        return Objects.requireNonNull(last);
    }

    void forget() {
        last = null;
    }

    void mark(String what) {
        heard.add(what);
    }

    void markPlaces() {
        channel().runPendingTasks();
        mark("places " + quota().inFlight());
    }

    void markStopped() {
        mark(isStopped() ? "stopped" : "not stopped");
    }

    /// Takes all places, with others in line behind them.
    void fill(int waiting) {
        for (int i = 0; i < PLACES + waiting; i++) {
            var _ = quota().enter(new FakeGuest());
        }
    }

    /// The client takes nothing of what is written.
    void stall(boolean stalled) {
        if (!stall.added) {
            channel().pipeline().addFirst(stall);
        }
        stall.stalled = stalled;
        channel().flush();
        channel().runPendingTasks();
        stall.flushes = 0;
    }

    /// How often something was flushed since the client was last stalled or not.
    int flushes() {
        channel().runPendingTasks();
        return stall.flushes;
    }

    /// The channel of a test runs tasks after each write, unless it is reading.
    void inOneTurn(Runnable writes) {
        var _ = channel().writeOneInbound(writes);
    }

    boolean isStalled() {
        return stall.stalled;
    }

    ByteBuf bytes(String text) {
        ByteBuf bytes = alloc.buffer();
        bytes.writeCharSequence(text, StandardCharsets.US_ASCII);
        return bytes;
    }

    void answer(Responder responder, int status, String text) {
        responder.start(status, Map.of("x-door", "a"), OptionalLong.of(text.length()));
        responder.write(bytes(text));
        responder.end();
    }

    /// Everything that could differ.
    List<String> seen() {
        List<String> seen = new ArrayList<>(heard);
        answers().forEach(answer -> seen.add("answer " + answer));
        recorded().forEach(e -> seen.add("recorded " + e.kind() + " " + e.detail().get("reason")));
        return seen;
    }

    long bytesHeld() {
        return alloc.metric().usedHeapMemory() + alloc.metric().usedDirectMemory();
    }

    /// The door of both.
    final class Opening implements Door {
        @Override
        public RequestHandler open(LiveSession session, RequestHead head, Responder responder) {
            mark("open " + head.method() + " " + head.path());
            last = responder;
            onOpen.accept(responder);
            return new RequestHandler() {
                @Override
                public void body(ByteBuf piece) {
                    mark("body " + piece.toString(StandardCharsets.US_ASCII));
                    piece.release();
                    onBody.accept(responder);
                }

                @Override
                public void trailers(Map<String, String> fields) {
                    mark("trailers " + fields);
                }

                @Override
                public void end() {
                    mark("end");
                    onEnd.accept(responder);
                }

                @Override
                public void abort(Refusal reason) {
                    mark("abort " + reason.code());
                    onAbort.run();
                }

                @Override
                public void writabilityChanged(boolean writable) {
                    mark("writable " + writable);
                }
            };
        }
    }

    /// Holds back what is flushed, and runs what comes as if it were read.
    private static final class Stall extends ChannelDuplexHandler {
        private boolean added;
        private boolean stalled;
        private int flushes;

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            added = true;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof Runnable turn) {
                turn.run();
            } else {
                ctx.fireChannelRead(message);
            }
        }

        @Override
        public void flush(ChannelHandlerContext ctx) {
            flushes++;
            if (!stalled) {
                ctx.flush();
            }
        }
    }

    private static Limits limits() {
        Limits standard = Limits.standard();
        Limits.Http http = standard.http();
        return new Limits(
                new Limits.Http(
                        http.headBytesMax(),
                        http.headFieldsMax(),
                        http.fieldNameBytesMax(),
                        http.headSecondsMax(),
                        http.keepAliveSecondsMax(),
                        IDLE_SECONDS,
                        http.bodyBytesPerSecondMin(),
                        REQUEST_SECONDS),
                new Limits.Sharing(8, 8, PLACES, 8, 100, 2, WAIT_SECONDS),
                standard.git(),
                standard.push(),
                standard.mirror(),
                standard.dns(),
                standard.upstream(),
                standard.egress(),
                Limits.Api.STANDARD,
                Limits.Approvals.STANDARD);
    }
}
