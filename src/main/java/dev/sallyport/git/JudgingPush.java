package dev.sallyport.git;

import dev.sallyport.approval.Question;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.Refusal;
import dev.sallyport.push.Verdict;
import dev.sallyport.relay.JudgeQueue;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A worker judges the pack, and who waits is told so.
final class JudgingPush implements PushState {
    /// How often somebody who waits is told that there is something to wait for.
    private static final int TICK_SECONDS = 5;

    private final JudgedPush push;
    private final Future<?> ticks;
    private long lastSaid = System.nanoTime();
    private JudgeQueue.@Nullable Turn turn;

    JudgingPush(JudgedPush push) {
        this.push = push;
        this.ticks =
                push.loop()
                        .scheduleAtFixedRate(
                                () -> progress("still judging the push"),
                                TICK_SECONDS,
                                TICK_SECONDS,
                                TimeUnit.SECONDS);
    }

    void begin() {
        switch (push.ask()
                .session()
                .policy()
                .decide(push.permit().repo(), GitService.UPLOAD_PACK)) {
            case Decision.Allow(GitPermit fetch) ->
                    turn = push.judging().submit(matter(fetch), this::result);
            case Decision.Deny(Refusal reason) ->
                    push.early().stop(() -> judged(new PushJudging.Result.NotJudged(reason)));
        }
    }

    private PushJudging.Matter matter(GitPermit fetch) {
        return new PushJudging.Matter(
                push.permit(),
                fetch,
                push.ask().session().credentials(),
                push.commands(),
                push.spool(),
                push.early(),
                text -> push.loop().execute(() -> progress(text)));
    }

    /// git asks for quiet whenever it does not draw on a terminal, above all for agents. They are
    /// told too, but seldom: a push that seems to hang is given up.
    private void progress(String text) {
        boolean quiet = push.commands().capabilities().contains("quiet");
        boolean due = System.nanoTime() - lastSaid >= TimeUnit.SECONDS.toNanos(TICK_SECONDS);
        PushAnswer answer = push.answer();
        if (push.isIn(this) && answer.hasSideband() && answer.isWritable() && (!quiet || due)) {
            lastSaid = System.nanoTime();
            answer.say(text);
        }
    }

    /// From a worker's thread.
    private void result(PushJudging.Result result) {
        push.loop().execute(() -> judged(result));
    }

    private void judged(PushJudging.Result result) {
        ticks.cancel(false);
        if (!push.isIn(this)) {
            push.release(result.copy());
        } else if (result
                        instanceof
                        PushJudging.Result.Judged(
                                Verdict.Accepted accepted,
                                var copy,
                                Optional<Question> question)
                && question.isPresent()) {
            AskingPush.of(push, copy, accepted.warnings(), question.get());
        } else {
            RecordingPush.of(push, result);
        }
    }

    /// The worker still reads the pack: what there is to give back is given back by [#judged].
    @Override
    public void abort(Refusal reason) {
        push.become(new OverPush());
        push.surroundings().audit().failed(push.ask(), reason);
        push.early().cancel();
        if (turn != null) {
            turn.cancel();
        }
    }
}
