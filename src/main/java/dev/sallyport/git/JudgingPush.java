package dev.sallyport.git;

import dev.sallyport.approval.Question;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.Refusal;
import dev.sallyport.push.Verdict;
import dev.sallyport.relay.JudgeQueue;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A worker judges the pack, and who waits is told so.
final class JudgingPush implements PushState {
    private final JudgedPush push;
    private final WaitTalk talk;
    private final Teller teller;
    private JudgeQueue.@Nullable Turn turn;

    JudgingPush(JudgedPush push) {
        this.push = push;
        boolean quiet = push.commands().capabilities().contains("quiet");
        this.talk = WaitTalk.ofPush(push.judging().pace(), quiet, System.nanoTime());
        this.teller = new Teller(talk, push.loop(), push.answer());
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

    /// From a worker's thread.
    private void result(PushJudging.Result result) {
        push.loop().execute(() -> judged(result));
    }

    private void judged(PushJudging.Result result) {
        if (push.isIn(this)) {
            teller.stop(", done");
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
        push.become(new PushState.Over());
        teller.stop();
        push.surroundings().audit().failed(push.ask(), reason);
        push.early().cancel();
        if (turn != null) {
            turn.cancel();
        }
    }
}
