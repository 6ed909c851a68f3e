package dev.sallyport.lfs;

import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.upstream.AnswerHead;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// Tells the git host that an object was uploaded, where it asked for that. Of its answer only that
/// it is content is passed on.
record VerifyExchange(LfsCase matter, Action action) implements SmallExchange.Kind {
    private static final int BYTES_MAX = 4 << 10;

    @Override
    public int bytesMax() {
        return BYTES_MAX;
    }

    @Override
    public SmallExchange.Question judge(byte[] body) throws RefusedException {
        boolean same =
                LfsJson.read(body)
                        .flatMap(LfsObject::parse)
                        .filter(action.object()::equals)
                        .isPresent();
        if (!same) {
            throw new RefusedException(Refusal.MALFORMED_BODY, "another object");
        }
        byte[] question = LfsJson.bytes(action.object().write(LfsJson.object()));
        Map<String, String> fields = Map.of("content-type", LfsJson.TYPE, "accept", LfsJson.TYPE);
        return new SmallExchange.Question(
                matter.order("POST", action, fields, question.length), question);
    }

    @Override
    public CompletableFuture<Void> record(Optional<Refusal> reason) {
        return matter.shared()
                .audit()
                .transfer(matter.ask(), matter.permit().repo(), Action.Verb.VERIFY, action, reason);
    }

    @Override
    public void answered(AnswerHead head, byte[] body) {
        if (head.status() >= 200 && head.status() < 300) {
            LfsAnswer.write(matter.ask(), 200, LfsJson.object());
        } else {
            matter.fail(LfsCase.storeFailure(head), action.object().oid().hex());
        }
    }
}
