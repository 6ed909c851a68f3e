package dev.sallyport.lfs;

import dev.sallyport.audit.Recorder;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Failure;
import dev.sallyport.upstream.LfsOrder;
import dev.sallyport.upstream.WholeCall;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A small request besides a batch: taken as a whole, judged, recorded, asked upstream in our own
/// words, and answered in them.
final class SmallExchange {
    /// What is special about one.
    interface Kind {
        /// Of the request's body.
        int bytesMax();

        /// What is asked upstream.
        Question judge(byte[] body) throws RefusedException;

        CompletableFuture<Void> record(Optional<Refusal> reason);

        /// Answers the sandbox.
        void answered(AnswerHead head, byte[] body);
    }

    /// @param body as long as the order says
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares questions.
    record Question(LfsOrder order, byte[] body) {}

    private final LfsCase matter;
    private final Kind kind;
    private @Nullable WholeCall call;
    private boolean over;

    private SmallExchange(LfsCase matter, Kind kind) {
        this.matter = matter;
        this.kind = kind;
    }

    static RequestHandler open(LfsCase matter, Kind kind) {
        SmallExchange exchange = new SmallExchange(matter, kind);
        return new WholeBody(
                kind.bytesMax(),
                matter.shared().bodies(),
                matter.permit().session(),
                exchange::judge,
                exchange::refuse,
                exchange::leave);
    }

    private void judge(byte[] body) {
        try {
            Question question = kind.judge(body);
            record(Optional.empty(), () -> send(question));
        } catch (RefusedException e) {
            refuse(e.refusal());
        }
    }

    private void refuse(Refusal reason) {
        record(Optional.of(reason), () -> tell(reason));
    }

    private void record(Optional<Refusal> reason, Runnable next) {
        Recorder.then(
                kind.record(reason),
                matter.loop(),
                unrecorded -> unrecorded.ifPresentOrElse(this::tell, next));
    }

    private void tell(Refusal reason) {
        matter.refuse(Failure.of(reason));
    }

    private void send(Question question) {
        if (!over) {
            call = matter.whole(question.order(), question.body(), this::told);
        }
    }

    private void told(WholeCall.Outcome outcome) {
        switch (outcome) {
            case WholeCall.Outcome.Failed(Failure failure, var _, var why) ->
                    matter.fail(failure, why);
            case WholeCall.Outcome.Answered(AnswerHead head, byte[] body) ->
                    kind.answered(head, body);
        }
        leave();
    }

    private void leave() {
        over = true;
        if (call != null) {
            call.close();
        }
    }
}
