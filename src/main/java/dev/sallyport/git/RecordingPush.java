package dev.sallyport.git;

import dev.sallyport.audit.Recorder;
import dev.sallyport.mirror.Mirror;
import dev.sallyport.policy.Proposals;
import dev.sallyport.policy.Refusal;
import dev.sallyport.push.Verdict;
import dev.sallyport.upstream.Failure;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The verdict is recorded, before it has any effect.
final class RecordingPush implements PushState {
    private final JudgedPush push;
    private final @Nullable Mirror copy;
    private final String approval;

    /// @param approval the question that a person said yes to; empty when nobody was asked
    private RecordingPush(JudgedPush push, @Nullable Mirror copy, String approval) {
        this.push = push;
        this.copy = copy;
        this.approval = approval;
    }

    /// A person said yes.
    static void approved(
            JudgedPush push, @Nullable Mirror copy, List<String> warnings, String approval) {
        RecordingPush recording = new RecordingPush(push, copy, approval);
        push.become(recording);
        recording.allow(warnings);
    }

    /// A person said no, or nobody said anything.
    static void disapproved(JudgedPush push, @Nullable Mirror copy, Refusal reason, String detail) {
        RecordingPush recording = new RecordingPush(push, copy, "");
        push.become(recording);
        recording.deny(JudgedUpdate.all(push.commands().updates(), reason, detail));
    }

    static void of(JudgedPush push, PushJudging.Result result) {
        RecordingPush recording = new RecordingPush(push, result.copy(), "");
        push.become(recording);
        switch (result) {
            case PushJudging.Result.NotJudged(Failure failure) ->
                    recording.deny(JudgedUpdate.all(push.commands().updates(), failure));
            case PushJudging.Result.Judged(Verdict.Refused(var objections), _, _) ->
                    recording.deny(JudgedUpdate.byContent(push.commands().updates(), objections));
            case PushJudging.Result.Judged(Verdict.Accepted accepted, _, _) ->
                    recording.allow(accepted.warnings());
        }
    }

    private void deny(List<JudgedUpdate> judged) {
        record(judged, () -> report(judged));
    }

    /// What was judged by rules that hold no longer goes nowhere. Options propose something, and
    /// are counted with what the sandbox proposes through the API.
    private void allow(List<String> warnings) {
        if (!push.ask().holds(push.permit())) {
            deny(JudgedUpdate.all(push.commands().updates(), Failure.of(Refusal.RIGHTS_CHANGED)));
            return;
        }
        if (!push.commands().options().isEmpty()
                && !push.surroundings().proposals().take(push.permit().session())) {
            deny(
                    JudgedUpdate.all(
                            push.commands().updates(),
                            Refusal.TOO_MANY_REQUESTS,
                            Proposals.TOO_OFTEN));
            return;
        }
        if (push.answer().hasSideband()) {
            warnings.forEach(push.answer()::say);
        }
        record(JudgedUpdate.byContent(push.commands().updates(), List.of()), this::forward);
    }

    private void record(List<JudgedUpdate> judged, Runnable next) {
        Surroundings around = push.surroundings();
        PushOptions options = new PushOptions(push.permit(), around.proposals());
        Map<String, String> facts = new HashMap<>(options.facts(push.commands().options()));
        if (!approval.isEmpty()) {
            facts.put("approval", approval);
        }
        Recorder.then(
                around.audit().push(push.ask(), push.permit(), judged, facts),
                push.loop(),
                unrecorded -> {
                    if (!push.isIn(this)) {
                        return;
                    }
                    if (unrecorded.isEmpty()) {
                        next.run();
                    } else {
                        report(JudgedUpdate.all(push.commands().updates(), unrecorded.get()));
                    }
                });
    }

    private void report(List<JudgedUpdate> judged) {
        push.become(new PushState.Over());
        push.answer().report(judged, PushReport.DENIED);
        push.release(copy);
    }

    private void forward() {
        ForwardingPush next = new ForwardingPush(push, copy);
        push.become(next);
        next.begin();
    }

    @Override
    public void abort(Refusal reason) {
        push.become(new PushState.Over());
        push.surroundings().audit().failed(push.ask(), reason);
        push.release(copy);
    }
}
