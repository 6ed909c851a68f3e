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
    private static final int TICK_SECONDS = 1;

    private final JudgedPush push;
    private final JudgingTalk talk;
    private final Future<?> ticks;
    private Optional<String> unfinished = Optional.empty();
    private JudgeQueue.@Nullable Turn turn;

    JudgingPush(JudgedPush push) {
        this.push = push;
        boolean quiet = push.commands().capabilities().contains("quiet");
        this.talk = new JudgingTalk(quiet, System.nanoTime());
        this.ticks =
                push.loop()
                        .scheduleAtFixedRate(
                                this::tick, TICK_SECONDS, TICK_SECONDS, TimeUnit.SECONDS);
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
                talk);
    }

    /// On a terminal in one line that is written over.
    private void tick() {
        PushAnswer answer = push.answer();
        if (push.isIn(this) && answer.hasSideband() && answer.isWritable()) {
            Optional<String> text = talk.due(System.nanoTime());
            if (talk.isQuiet()) {
                text.ifPresent(answer::say);
            } else if (text.isPresent()) {
                answer.sayOver(text.get());
                unfinished = text;
            }
        }
    }

    /// From a worker's thread.
    private void result(PushJudging.Result result) {
        push.loop().execute(() -> judged(result));
    }

    private void judged(PushJudging.Result result) {
        ticks.cancel(false);
        if (push.isIn(this)) {
            unfinished.ifPresent(text -> push.answer().say(text + ", done"));
        }
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
