package dev.sallyport.git;

import dev.sallyport.credential.EchoException;
import dev.sallyport.credential.EchoGuard;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.Usage;
import dev.sallyport.session.UsageMeter;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.Failure;
import dev.sallyport.upstream.UpstreamCall;
import dev.sallyport.upstream.UpstreamEvents;
import dev.sallyport.upstream.UpstreamRequest;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Carries one request up and its answer down. Each side is paused while the other is slow, so what
/// is in memory is bounded by the two send buffers.
///
/// The answer begins only when there is something to say, so that an upstream which fails before
/// that gets a proper refusal; after that a failure cuts the connection.
final class Relay implements Stage, UpstreamEvents {
    /// What a relay needs of the door.
    record Surroundings(Client upstream, GitAudit audit, UsageMeter usage) {}

    private final Surroundings surroundings;
    private final Ask ask;
    private final UpstreamRequest request;
    private final BodySource source;
    private final AnswerFilter filter;
    private final Outlet outlet;
    private Optional<EchoGuard> guard = Optional.empty();
    private @Nullable UpstreamCall call;
    private OptionalLong length = OptionalLong.empty();
    private boolean answering;
    private boolean bodySent;
    private boolean over;
    private long bytesUp;
    private long bytesDown;

    Relay(
            Surroundings surroundings,
            Ask ask,
            UpstreamRequest request,
            BodySource source,
            AnswerFilter filter,
            Outlet outlet) {
        this.surroundings = surroundings;
        this.ask = ask;
        this.request = request;
        this.source = source;
        this.filter = filter;
        this.outlet = outlet;
        this.bodySent = !request.hasBody();
    }

    @Override
    public void start() {
        if (over) {
            return;
        }
        if (!ask.holds(request.permit())) {
            fail(Refusal.RIGHTS_CHANGED);
            return;
        }
        call =
                surroundings
                        .upstream()
                        .call(request, ask.session().credentials(), ask.responder().loop(), this)
                        .orElse(null);
        if (call == null) {
            fail(Refusal.UPSTREAM_UNREACHABLE);
        } else if (bodySent) {
            ask.responder().resumeBody();
        }
    }

    @Override
    public void body(ByteBuf piece) {
        if (over) {
            piece.release();
            return;
        }
        try {
            source.offer(piece);
            pump();
        } catch (RefusedException e) {
            fail(e.refusal());
        }
    }

    @Override
    public void end() {
        try {
            source.finish();
            pump();
        } catch (RefusedException e) {
            fail(e.refusal());
        }
    }

    @Override
    public void writable(boolean writable) {
        if (writable) {
            ask.responder().proceed();
            more();
        }
    }

    /// The source has something again.
    void more() {
        try {
            pump();
        } catch (RefusedException e) {
            fail(e.refusal());
        }
    }

    /// Moves what upstream can take now, then lets the sandbox send more or makes it wait.
    private void pump() throws RefusedException {
        if (over || bodySent) {
            return;
        }
        requireHold();
        if (call == null) {
            ask.responder().pauseBody();
            return;
        }
        while (call.isWritable()) {
            ByteBuf next = source.poll();
            if (next == null) {
                break;
            }
            bytesUp += next.readableBytes();
            call.write(next);
        }
        if (call.isWritable() && source.isDone()) {
            bodySent = true;
            call.end();
        } else if (call.isWritable()) {
            ask.responder().resumeBody();
        } else {
            ask.responder().pauseBody();
        }
    }

    @Override
    public void begun(AnswerHead head) {
        try {
            guard = ask.session().credentials().guard(request.permit());
        } catch (IllegalStateException _) {
            fail(Refusal.SESSION_ENDED);
            return;
        }
        length = filter.keepsLength() ? head.length() : OptionalLong.empty();
    }

    @Override
    public void piece(ByteBuf piece) {
        if (over) {
            piece.release();
            return;
        }
        try {
            requireHold();
        } catch (RefusedException e) {
            piece.release();
            fail(e.refusal());
            return;
        }
        try {
            filter.accept(guard.isPresent() ? guard.get().pass(piece) : piece, this::send);
        } catch (RefusedException e) {
            fail(e.refusal());
        } catch (EchoException _) {
            fail(Refusal.UPSTREAM_MISBEHAVED);
        }
    }

    /// A right that is withdrawn ends what relies on it.
    private void requireHold() throws RefusedException {
        if (!ask.holds(request.permit())) {
            throw new RefusedException(Refusal.RIGHTS_CHANGED, "the right was withdrawn");
        }
    }

    private void send(ByteBuf piece) {
        if (!piece.isReadable()) {
            piece.release();
            return;
        }
        startAnswer();
        bytesDown += piece.readableBytes();
        outlet.write(piece);
        if (call != null && !outlet.isWritable()) {
            call.reading(false);
        }
    }

    private void startAnswer() {
        if (!answering) {
            answering = true;
            outlet.begin(length);
        }
    }

    @Override
    public void writabilityChanged(boolean writable) {
        if (call != null && !over) {
            call.reading(writable);
        }
    }

    @Override
    public void complete() {
        if (over) {
            return;
        }
        try {
            if (guard.isPresent()) {
                filter.accept(guard.get().rest(), this::send);
            }
            filter.finish();
        } catch (RefusedException e) {
            fail(e.refusal());
            return;
        }
        close();
        startAnswer();
        outlet.complete();
        surroundings.usage().used(ask.session().id(), new Usage(1, bytesUp, bytesDown));
    }

    @Override
    public void failed(Failure failure) {
        if (!over) {
            close();
            surroundings.audit().failed(ask, failure);
            outlet.refuse(failure);
        }
    }

    private void fail(Refusal reason) {
        failed(Failure.of(reason));
    }

    @Override
    public void abort(Refusal reason) {
        if (!over) {
            close();
            surroundings.audit().failed(ask, reason);
        }
    }

    private void close() {
        over = true;
        source.release();
        filter.release();
        guard.ifPresent(EchoGuard::release);
        if (call != null) {
            call.close();
        }
    }
}
