package dev.sallyport.git;

import dev.sallyport.mirror.Mirror;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.BodySource;
import dev.sallyport.relay.Stage;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/// A push whose refs are granted by name: its pack is put on disk, judged, and only then sent. What
/// it is doing is its [PushState]; here is what all states share.
final class JudgedPush implements Stage {
    private final Surroundings surroundings;
    private final PushJudging judging;
    private final Subject subject;
    private final PushAnswer answer;
    private final PushSpool spool;
    private final EarlyReading early;
    private final SpoolingPush first;
    private PushState state;

    /// What is pushed, by whom and with what right.
    record Subject(Ask ask, GitPermit permit, PushCommands commands) {}

    /// @param source of the pack; released here
    JudgedPush(
            Surroundings surroundings,
            PushJudging judging,
            Subject subject,
            BodySource source,
            long packBytesMax) {
        this.surroundings = surroundings;
        this.judging = judging;
        this.subject = subject;
        this.answer = new PushAnswer(subject);
        this.first = new SpoolingPush(this, source, packBytesMax);
        this.spool = judging.spool(subject.permit().session(), loop(), first);
        this.early = judging.early(subject.permit(), spool, loop());
        this.state = first;
    }

    @Override
    public void start() {}

    /// @param rest what was read of the pack already
    void begin(ByteBuf rest) {
        first.begin(rest);
    }

    @Override
    public void body(ByteBuf piece) {
        state.body(piece);
    }

    @Override
    public void end() {
        state.end();
    }

    @Override
    public void abort(Refusal reason) {
        state.abort(reason);
    }

    @Override
    public void writabilityChanged(boolean writable) {
        state.writabilityChanged(writable);
    }

    void become(PushState next) {
        state = next;
    }

    boolean isIn(PushState other) {
        return state == other;
    }

    Surroundings surroundings() {
        return surroundings;
    }

    PushJudging judging() {
        return judging;
    }

    Ask ask() {
        return subject.ask();
    }

    GitPermit permit() {
        return subject.permit();
    }

    PushCommands commands() {
        return subject.commands();
    }

    EventLoop loop() {
        return ask().responder().loop();
    }

    PushAnswer answer() {
        return answer;
    }

    PushSpool spool() {
        return spool;
    }

    EarlyReading early() {
        return early;
    }

    /// Gives back what the push held. Whoever reads the pack must have stopped.
    void release(@Nullable Mirror copy) {
        spool.body().close();
        if (copy != null) {
            Thread.startVirtualThread(copy::close);
        }
    }
}
