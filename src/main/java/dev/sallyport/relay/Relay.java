package dev.sallyport.relay;

import dev.sallyport.credential.EchoGuard;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.Refusal;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Failure;
import dev.sallyport.upstream.UpstreamCall;
import dev.sallyport.upstream.UpstreamEvents;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Carries one request up and its answer down. Each side is paused while the other is slow, so what
/// is in memory is bounded by the two send buffers.
///
/// It alone says what is counted, and when: each piece before it is passed on, and all of it at the
/// end, however that came. A failure is recorded once; it is refused properly if the outlet has not
/// begun an answer, and otherwise cuts it.
public final class Relay implements Stage, UpstreamEvents {
    /// Begins the call upstream.
    public interface Caller {
        UpstreamCall call(UpstreamEvents events) throws RefusedException;
    }

    /// The call that was begun.
    ///
    /// @param call none when its host is not configured
    public static UpstreamCall found(Optional<UpstreamCall> call) throws RefusedException {
        return call.orElseThrow(
                () ->
                        new RefusedException(
                                Refusal.UPSTREAM_UNREACHABLE, "the host is not configured"));
    }

    /// Of a line of a head, besides name and value.
    private static final int LINE_BYTES = 4;

    private final Responder responder;
    private final Caller caller;
    private final BodySource source;
    private final AnswerFilter filter;
    private final Outlet outlet;
    private final Account account;
    private final BooleanSupplier holds;
    private @Nullable UpstreamCall call;
    private boolean bodySent;
    private boolean spent;
    private boolean over;

    /// @param holds whether the session may still do this: a right that is withdrawn ends what
    ///   relies on it
    public Relay(
            Responder responder,
            Caller caller,
            BodySource source,
            AnswerFilter filter,
            Outlet outlet,
            Account account,
            BooleanSupplier holds) {
        this.responder = responder;
        this.caller = caller;
        this.source = source;
        this.filter = filter;
        this.outlet = outlet;
        this.account = account;
        this.holds = holds;
    }

    @Override
    public void start() {
        attempt(
                () -> {
                    requireHold();
                    UpstreamCall begun = caller.call(this);
                    call = begun;
                    if (!begun.hasBody()) {
                        bodySent = true;
                        responder.resumeBody();
                    }
                });
    }

    /// The outlet knows how its client is told.
    @Override
    public void unrecorded(Ask ask, Refusal reason) {
        fail(reason);
    }

    private void attempt(BodySource.Step step) {
        if (over) {
            return;
        }
        try {
            step.run();
        } catch (RefusedException e) {
            fail(e.refusal());
        }
    }

    @Override
    public void body(ByteBuf piece) {
        if (over) {
            piece.release();
            return;
        }
        attempt(
                () -> {
                    source.offer(piece);
                    pump();
                });
    }

    @Override
    public void trailers(Map<String, String> fields) {
        source.trailers(fields);
    }

    @Override
    public void end() {
        attempt(
                () -> {
                    source.finish();
                    pump();
                });
    }

    @Override
    public void writable(boolean writable) {
        if (writable && !over) {
            responder.proceed();
        }
        more();
    }

    /// The source has something again.
    public void more() {
        attempt(this::pump);
    }

    /// Moves what upstream can take now, then lets the sandbox send more or makes it wait.
    private void pump() throws RefusedException {
        if (bodySent) {
            return;
        }
        requireHold();
        UpstreamCall up = call;
        while (up != null && up.isWritable()) {
            ByteBuf next = source.poll();
            if (next == null) {
                break;
            }
            send(up, next);
        }
        if (up == null || !up.isWritable()) {
            responder.pauseBody();
        } else if (source.isDone()) {
            spend(account.up(headBytes(source.trailers())));
            bodySent = true;
            up.end(source.trailers());
        } else {
            responder.resumeBody();
        }
    }

    @Override
    public boolean holds() {
        return holds.getAsBoolean();
    }

    private void requireHold() throws RefusedException {
        if (!holds()) {
            throw new RefusedException(Refusal.RIGHTS_CHANGED, "the right was withdrawn");
        }
    }

    /// How much of a budget the fields of a head take.
    public static long headBytes(Map<String, String> fields) {
        return fields.entrySet().stream()
                .mapToLong(f -> f.getKey().length() + f.getValue().length() + LINE_BYTES)
                .sum();
    }

    private void send(UpstreamCall up, ByteBuf piece) throws RefusedException {
        boolean granted = account.up(piece.readableBytes());
        if (!granted) {
            piece.release();
        }
        spend(granted);
        up.write(piece);
    }

    private static void spend(boolean granted) throws RefusedException {
        if (!granted) {
            throw new RefusedException(Refusal.BUDGET_SPENT, "the budget is used up");
        }
    }

    @Override
    public void begun(AnswerHead head) {
        attempt(
                () ->
                        outlet.begin(
                                head, filter.keepsLength() ? head.length() : OptionalLong.empty()));
    }

    @Override
    public void piece(ByteBuf piece) {
        if (over) {
            piece.release();
            return;
        }
        if (!holds()) {
            piece.release();
            fail(Refusal.RIGHTS_CHANGED);
            return;
        }
        attempt(
                () -> {
                    filter.accept(piece, this::give);
                    spend(!spent);
                });
    }

    /// A filter has this in the middle of its work, so a refusal waits until it is done.
    private void give(ByteBuf piece) {
        spent = spent || !account.down(piece.readableBytes());
        if (spent || !piece.isReadable()) {
            piece.release();
            return;
        }
        outlet.write(piece);
        if (call != null && !responder.isWritable()) {
            call.reading(false);
        }
    }

    @Override
    public void writabilityChanged(boolean writable) {
        if (call != null && !over) {
            call.reading(writable);
        }
    }

    @Override
    public void trailers(List<AnswerHead.Field> fields) {
        attempt(() -> outlet.trailers(fields));
    }

    @Override
    public void complete() {
        attempt(
                () -> {
                    filter.finish();
                    close(true);
                    outlet.complete();
                });
    }

    /// Whoever goes on with the connection has its account from here on.
    @Override
    public void switched(
            AnswerHead head, Channel channel, ByteBuf unread, Optional<EchoGuard> guard) {
        try {
            outlet.switched(head, channel, unread, guard);
            release();
        } catch (RefusedException e) {
            unread.release();
            var _ = channel.close();
            fail(e.refusal());
        }
    }

    @Override
    public void failed(Failure failure) {
        if (!over) {
            close(false);
            outlet.failed(failure);
            outlet.refuse(failure);
        }
    }

    private void fail(Refusal reason) {
        failed(Failure.of(reason));
    }

    @Override
    public void abort(Refusal reason) {
        if (!over) {
            close(false);
            outlet.failed(Failure.of(reason));
        }
    }

    private void close(boolean whole) {
        release();
        if (call != null) {
            call.close();
        }
        account.over(whole);
    }

    private void release() {
        over = true;
        source.release();
        filter.release();
    }
}
