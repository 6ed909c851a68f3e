package dev.sallyport.git;

import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.BodySource;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.Spool;
import io.netty.buffer.ByteBuf;

/// Puts the pack on disk, no faster than the disk takes it; what is there is read already.
final class SpoolingPush implements PushState, Spool.Events {
    private final JudgedPush push;
    private final BodySource source;
    private final long packBytesMax;

    SpoolingPush(JudgedPush push, BodySource source, long packBytesMax) {
        this.push = push;
        this.source = source;
        this.packBytesMax = packBytesMax;
    }

    /// @param rest what was read of the pack already
    void begin(ByteBuf rest) {
        pump(() -> append(rest));
    }

    @Override
    public void body(ByteBuf piece) {
        pump(() -> source.offer(piece));
    }

    @Override
    public void end() {
        pump(source::finish);
    }

    private void pump(BodySource.Step step) {
        if (!push.isIn(this)) {
            return;
        }
        try {
            step.run();
            pump();
        } catch (RefusedException e) {
            refuse(e.refusal());
        }
    }

    /// Moves what the disk can take now; a compressed pack is inflated no faster than that.
    private void pump() throws RefusedException {
        ByteBuf next = null;
        while (!push.spool().body().isFull() && (next = source.poll()) != null) {
            append(next);
        }
        if (source.isDone()) {
            push.spool().body().finish();
        } else if (push.spool().body().isFull()) {
            push.ask().responder().pauseBody();
        } else {
            push.ask().responder().resumeBody();
        }
    }

    private void append(ByteBuf piece) throws RefusedException {
        if (piece.isReadable()) {
            requireRoom(piece);
            push.spool().body().append(piece);
        } else {
            piece.release();
        }
    }

    private void requireRoom(ByteBuf piece) throws RefusedException {
        boolean tooLarge = push.spool().body().bytes() + piece.readableBytes() > packBytesMax;
        if (tooLarge || !push.commands().needsPack()) {
            piece.release();
            throw tooLarge
                    ? new RefusedException(Refusal.BODY_TOO_LARGE, "the pack is too large")
                    : new RefusedException(Refusal.MALFORMED_PUSH, "a push of deletes has no pack");
        }
    }

    @Override
    public void drained() {
        push.early().more();
        pump(() -> {});
    }

    @Override
    public void spooled() {
        if (push.isIn(this)) {
            source.release();
            push.early().complete();
            JudgingPush next = new JudgingPush(push);
            push.become(next);
            next.begin();
        }
    }

    @Override
    public void failed(Refusal reason) {
        if (push.isIn(this)) {
            source.release();
            push.early().stop(() -> denied(new PushJudging.Result.NotJudged(reason)));
        }
    }

    private void denied(PushJudging.Result reason) {
        if (push.isIn(this)) {
            RecordingPush.of(push, reason);
        }
    }

    /// While the sandbox still sends, only HTTP can tell it.
    private void refuse(Refusal reason) {
        abort(reason);
        push.ask().refuse(reason);
    }

    @Override
    public void abort(Refusal reason) {
        source.release();
        push.become(new PushState.Over());
        push.surroundings().audit().failed(push.ask(), reason);
        push.early().stop(() -> push.release(null));
    }
}
