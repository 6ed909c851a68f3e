package dev.sallyport.git;

import dev.sallyport.audit.Recorder;
import dev.sallyport.mirror.Mirror;
import dev.sallyport.policy.Refusal;
import dev.sallyport.push.Verdict;
import dev.sallyport.upstream.Failure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The verdict is recorded, before it has any effect.
final class RecordingPush implements PushState {
    private final JudgedPush push;
    private final @Nullable Mirror copy;

    private RecordingPush(JudgedPush push, @Nullable Mirror copy) {
        this.push = push;
        this.copy = copy;
    }

    static void of(JudgedPush push, PushJudging.Result result) {
        RecordingPush recording = new RecordingPush(push, result.copy());
        push.become(recording);
        switch (result) {
            case PushJudging.Result.NotJudged(Failure failure) ->
                    recording.deny(JudgedUpdate.all(push.commands().updates(), failure));
            case PushJudging.Result.Judged(Verdict.Refused(var objections), _) ->
                    recording.deny(JudgedUpdate.byContent(push.commands().updates(), objections));
            case PushJudging.Result.Judged(Verdict.Accepted(var warnings), _) ->
                    recording.allow(warnings);
        }
    }

    private void deny(List<JudgedUpdate> judged) {
        record(judged, () -> report(judged));
    }

    private void allow(List<String> warnings) {
        if (push.answer().hasSideband()) {
            warnings.forEach(push.answer()::say);
        }
        record(JudgedUpdate.byContent(push.commands().updates(), List.of()), this::forward);
    }

    private void record(List<JudgedUpdate> judged, Runnable next) {
        Recorder.then(
                push.surroundings().audit().push(push.ask(), push.permit(), judged),
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
        push.become(new OverPush());
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
        push.become(new OverPush());
        push.surroundings().audit().failed(push.ask(), reason);
        push.release(copy);
    }
}
