package dev.sallyport.git;

import dev.sallyport.approval.Asker;
import dev.sallyport.approval.Outcome;
import dev.sallyport.approval.Question;
import dev.sallyport.mirror.Mirror;
import dev.sallyport.policy.Refusal;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The judge has nothing against the push, and a person decides. Who pushes is told so.
final class AskingPush implements PushState {
    private static final int TICK_SECONDS = 5;

    /// A line of text with every so many ticks; the others only show that somebody is there.
    private static final int TICKS_PER_LINE = 6;

    private final JudgedPush push;
    private final @Nullable Mirror copy;
    private final List<String> warnings;
    private final Asker.Asked asked;
    private final Future<?> ticks;
    private int ticked;

    private AskingPush(
            JudgedPush push, @Nullable Mirror copy, List<String> warnings, Asker.Asked asked) {
        this.push = push;
        this.copy = copy;
        this.warnings = warnings;
        this.asked = asked;
        this.ticks =
                push.loop()
                        .scheduleAtFixedRate(
                                this::tick, TICK_SECONDS, TICK_SECONDS, TimeUnit.SECONDS);
    }

    static void of(
            JudgedPush push, @Nullable Mirror copy, List<String> warnings, Question question) {
        Asker.Asked asked = push.ask().session().asker().ask(push.permit().session(), question);
        AskingPush asking = new AskingPush(push, copy, warnings, asked);
        push.become(asking);
        asking.begin();
    }

    private void begin() {
        if (!asked.id().isEmpty() && push.answer().hasSideband()) {
            push.answer().say("waiting for a person: sallyport approve " + asked.id());
        }
        asked.then(push.loop(), this::answered);
    }

    private void tick() {
        PushAnswer answer = push.answer();
        if (!push.isIn(this) || !answer.hasSideband() || !answer.isWritable()) {
            return;
        }
        if (++ticked % TICKS_PER_LINE == 0) {
            answer.say("still waiting for a person: sallyport approve " + asked.id());
        } else {
            answer.keepAlive();
        }
    }

    private void answered(Asker.Reply reply) {
        ticks.cancel(false);
        if (!push.isIn(this)) {
            return;
        }
        Optional<Refusal> refusal = reply.outcome().refusal();
        if (refusal.isEmpty()) {
            if (push.answer().hasSideband()) {
                push.answer().say("a person said yes");
            }
            RecordingPush.approved(push, copy, warnings, asked.id());
        } else {
            RecordingPush.disapproved(push, copy, refusal.get(), detail(reply));
        }
    }

    private static String detail(Asker.Reply reply) {
        return reply.outcome() == Outcome.NO && !reply.note().isEmpty()
                ? "they said: " + reply.note()
                : "";
    }

    @Override
    public void abort(Refusal reason) {
        push.become(new PushState.Over());
        ticks.cancel(false);
        asked.withdraw();
        push.surroundings().audit().failed(push.ask(), reason);
        push.release(copy);
    }
}
