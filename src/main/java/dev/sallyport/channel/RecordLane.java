package dev.sallyport.channel;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.config.DiskFullException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One event loop's own way to the record, so that no record changes threads here. One batch of
/// events is with the warden while the next one fills: it leaves with the answer to the first, so a
/// lone event never waits for company and many at once share a write on both sides.
///
/// No answer within the time limit, too many events waiting, or a warden that cannot write: each is
/// a failure, and what waited for the event does not happen. So is the end of the lane, which is
/// the end of the gateway.
public final class RecordLane implements Recorder {
    private static final Duration OPEN_MAX = Duration.ofMinutes(1);
    private static final int EVENTS_MAX = 16_384;
    private static final int BATCHES_KEPT_MAX = 4;

    private final Channel channel;
    private final EventLoop loop;
    private final Duration patience;
    private final Consumer<String> ended;
    private final CompletableFuture<Void> open = new CompletableFuture<>();
    private final Deque<Batch> waiting = new ArrayDeque<>();
    private final Deque<Batch> unused = new ArrayDeque<>();
    private @Nullable Batch inFlight;
    private int events;
    private boolean broken;

    private RecordLane(Channel channel, Duration patience, Consumer<String> ended) {
        this.channel = channel;
        this.loop = channel.eventLoop();
        this.patience = patience;
        this.ended = ended;
    }

    /// Connects to the warden's socket and waits until it has let us in. Must not be called on
    /// `loop`.
    ///
    /// @param ended told on `loop` when the lane is over
    public static RecordLane connect(
            EventLoop loop,
            Path directory,
            long wardenPid,
            Duration patience,
            Consumer<String> ended)
            throws IOException {
        EpollDomainSocketChannel channel =
                ChannelClient.connect(loop, directory, SocketNames.RECORDS, wardenPid);
        RecordLane lane = on(channel, patience, ended);
        channel.config().setAutoRead(true);
        try {
            lane.open.get(OPEN_MAX.toSeconds(), TimeUnit.SECONDS);
            return lane;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChannelException("interrupted while connecting to the warden");
        } catch (ExecutionException | TimeoutException e) {
            var _ = channel.close();
            throw new ChannelException("the warden does not open a record lane");
        }
    }

    /// A lane on a connected channel.
    public static RecordLane on(Channel channel, Duration patience, Consumer<String> ended) {
        RecordLane lane = new RecordLane(channel, patience, ended);
        channel.pipeline().addLast(lane.new Answers());
        var _ = lane.loop.scheduleWithFixedDelay(lane::giveUp, 1, 1, TimeUnit.SECONDS);
        return lane;
    }

    /// Whether the calling thread is the one of this lane.
    public boolean isOurs() {
        return loop.inEventLoop();
    }

    /// From any thread; the future completes on the lane's event loop.
    @Override
    public CompletableFuture<Void> record(AuditEvent event) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        if (loop.inEventLoop()) {
            add(event, answer);
        } else {
            loop.execute(() -> add(event, answer));
        }
        return answer;
    }

    private void add(AuditEvent event, CompletableFuture<Void> answer) {
        if (broken || events >= EVENTS_MAX) {
            answer.completeExceptionally(
                    new IOException(broken ? "the warden is gone" : "too many events wait"));
            return;
        }
        filling().add(event, answer);
        events++;
        if (inFlight == null) {
            sendNext();
        }
    }

    private Batch filling() {
        Batch last = waiting.peekLast();
        if (last == null || last.isFull()) {
            Batch known = unused.poll();
            last = known == null ? new Batch(channel) : known;
            waiting.add(last);
        }
        return last;
    }

    private void sendNext() {
        Batch next = waiting.poll();
        inFlight = next;
        if (next != null) {
            var _ = channel.writeAndFlush(next.frame(), channel.voidPromise());
        }
    }

    /// The next batch goes before those who waited for this one are told, so that the warden writes
    /// while they go on.
    private void answered(ByteBuf outcomes) throws ChannelException {
        Batch batch = inFlight;
        if (batch == null && outcomes.readableBytes() == 0 && open.complete(null)) {
            return;
        }
        if (batch == null || outcomes.readableBytes() != batch.size()) {
            throw new ChannelException("an answer has one outcome for each event");
        }
        events -= batch.size();
        sendNext();
        try {
            batch.complete(outcomes);
        } catch (ChannelException e) {
            batch.fail(e);
            throw e;
        } finally {
            recycle(batch);
        }
    }

    private void recycle(Batch batch) {
        if (!broken && unused.size() < BATCHES_KEPT_MAX) {
            batch.clear();
            unused.add(batch);
        } else {
            batch.release();
        }
    }

    /// Gives up on what has waited for too long; a timer for each event would cost more than the
    /// event.
    void giveUp() {
        long before = System.nanoTime() - patience.toNanos();
        Batch batch = inFlight;
        if (batch != null) {
            batch.giveUp(before);
        }
        waiting.forEach(later -> later.giveUp(before));
    }

    private void end(String reason) {
        if (broken) {
            return;
        }
        broken = true;
        var _ = channel.close();
        IOException gone = new IOException("the warden is gone");
        open.completeExceptionally(gone);
        Batch batch = inFlight;
        if (batch != null) {
            waiting.addFirst(batch);
        }
        inFlight = null;
        for (Batch lost : waiting) {
            lost.fail(gone);
            lost.release();
        }
        unused.forEach(Batch::release);
        waiting.clear();
        unused.clear();
        ended.accept(reason);
    }

    /// Reads answers: how many events, and a byte for each.
    private final class Answers extends ByteToMessageDecoder {
        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
                throws ChannelException {
            if (in.readableBytes() < EventCodec.COUNT_BYTES) {
                return;
            }
            int count = in.getUnsignedShort(in.readerIndex());
            if (in.readableBytes() >= EventCodec.COUNT_BYTES + count) {
                in.skipBytes(EventCodec.COUNT_BYTES);
                answered(in.readSlice(count));
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            end(String.valueOf(cause.getMessage()));
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            end("the warden closed a record lane");
        }
    }

    /// Events that travel together, and who waits for each. Used again and again.
    private static final class Batch {
        private final ByteBuf frame;
        private final List<CompletableFuture<Void>> answers = new ArrayList<>();
        private long[] sinceNanos = new long[16];

        Batch(Channel channel) {
            frame = channel.alloc().directBuffer();
            clear();
        }

        void clear() {
            answers.clear();
            frame.clear().writeZero(EventCodec.LENGTH_BYTES + EventCodec.COUNT_BYTES);
        }

        int size() {
            return answers.size();
        }

        boolean isFull() {
            return answers.size() >= EventCodec.BATCH_EVENTS_MAX
                    || frame.readableBytes() >= EventCodec.BATCH_BYTES_FULL;
        }

        void add(AuditEvent event, CompletableFuture<Void> answer) {
            EventCodec.encode(event, frame);
            if (size() == sinceNanos.length) {
                sinceNanos = Arrays.copyOf(sinceNanos, 2 * size());
            }
            sinceNanos[size()] = System.nanoTime();
            answers.add(answer);
        }

        /// For one write, which gives it back.
        ByteBuf frame() {
            frame.setInt(0, frame.readableBytes() - EventCodec.LENGTH_BYTES);
            frame.setShort(EventCodec.LENGTH_BYTES, size());
            return frame.retain();
        }

        void complete(ByteBuf outcomes) throws ChannelException {
            for (int i = 0; i < size(); i++) {
                switch (RecordOutcome.of(outcomes.readByte())) {
                    case RECORDED -> answers.get(i).complete(null);
                    case NOT_RECORDED -> fail(i, new IOException("the event was not written"));
                    case DISK_FULL -> fail(i, new DiskFullException("the disk is full"));
                }
            }
        }

        void giveUp(long beforeNanos) {
            for (int i = 0; i < size() && sinceNanos[i] - beforeNanos <= 0; i++) {
                fail(i, new IOException("the warden does not answer"));
            }
        }

        void fail(IOException reason) {
            for (int i = 0; i < size(); i++) {
                fail(i, reason);
            }
        }

        private void fail(int index, IOException reason) {
            answers.get(index).completeExceptionally(reason);
        }

        void release() {
            frame.release();
        }
    }
}
