package dev.sallyport.lfs;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Account;
import dev.sallyport.relay.AnswerFilter;
import dev.sallyport.relay.BodySource;
import dev.sallyport.relay.Outlet;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.Relay;
import dev.sallyport.relay.SessionAccount;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Failure;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// An object on its way to the store. A small one is on disk, hashed and scanned before the store
/// hears of it ([SpooledUpload]); a large one is hashed as it passes ([HashedBody]).
final class Upload implements Outlet, Account {
    /// What is scanned for secrets, and never begun in vain.
    static final long SPOOLED_BYTES_MAX = 16L << 20;

    private final LfsCase matter;
    private final Action action;
    private final BooleanSupplier verified;
    private final SessionAccount account;
    private long sent;
    private boolean counted;
    private @Nullable Failure failure;

    /// @param verified whether all of the object was there and is what it is called
    Upload(LfsCase matter, Action action, BooleanSupplier verified) {
        this.matter = matter;
        this.action = action;
        this.verified = verified;
        this.account = new SessionAccount(matter.shared().usage(), matter.permit().session());
    }

    static RequestHandler open(LfsCase matter, Action action) {
        Optional<Refusal> objection = objection(matter, action);
        if (objection.isPresent()) {
            matter.ask().responder().pauseBody();
            LfsAnswer.refuse(
                    matter.ask(),
                    matter.permit().repo(),
                    objection.get(),
                    matter.record(Action.Verb.UPLOAD, action, objection));
            return new IgnoredBody();
        }
        if (action.object().size() <= SPOOLED_BYTES_MAX) {
            return matter.ask()
                    .serve(
                            new SpooledUpload(matter, action),
                            matter.record(Action.Verb.UPLOAD, action, Optional.empty()));
        }
        HashedBody body = new HashedBody(action.object());
        Upload upload = new Upload(matter, action, body::isVerified);
        return matter.ask()
                .serve(
                        upload.relay(body),
                        matter.record(Action.Verb.UPLOAD, action, Optional.empty()));
    }

    /// Takes what the object needs of the budget if there is none.
    private static Optional<Refusal> objection(LfsCase matter, Action action) {
        long size = action.object().size();
        boolean announced =
                switch (matter.ask().head().framing()) {
                    case BodyFraming.None _ -> size == 0;
                    case BodyFraming.Sized(long bytes) -> bytes == size;
                    case BodyFraming.Chunked _ -> true;
                };
        if (!announced) {
            return Optional.of(Refusal.LFS_OBJECT_MISMATCH);
        }
        if (size > matter.permit().lfs().objectBytesMax()) {
            return Optional.of(Refusal.LFS_OBJECT_TOO_LARGE);
        }
        return matter.shared()
                        .budget()
                        .take(matter.ask().session(), size, matter.permit().lfs().uploadBytesMax())
                ? Optional.empty()
                : Optional.of(Refusal.LFS_UPLOADS_SPENT);
    }

    Relay relay(BodySource body) {
        Map<String, String> fields = Map.of("content-type", "application/octet-stream");
        long size = action.object().size();
        return new Relay(
                matter.ask().responder(),
                events ->
                        Relay.found(matter.call(matter.order("PUT", action, fields, size), events)),
                body,
                new AnswerFilter.Unchanged(),
                this,
                this,
                matter::holds);
    }

    @Override
    public void begin(AnswerHead head, OptionalLong length) throws RefusedException {
        if (head.status() < 200 || head.status() > 299) {
            Failure why = LfsCase.storeFailure(head);
            failure = why;
            throw new RefusedException(why.reason(), "the store does not take it");
        }
    }

    @Override
    public void write(ByteBuf piece) {
        piece.release();
    }

    /// A store that is content before it has all of it is not believed.
    @Override
    public void complete() {
        if (verified.getAsBoolean()) {
            LfsAnswer.write(matter.ask(), 200, LfsJson.JSON.object());
        } else {
            Failure early = Failure.of(Refusal.UPSTREAM_MISBEHAVED);
            failed(early);
            refuse(early);
        }
    }

    @Override
    public void failed(Failure why) {
        failed(why, action.object().oid().hex());
    }

    void failed(Failure why, String detail) {
        matter.shared()
                .actions()
                .forget(matter.permit(), Action.Verb.UPLOAD, action.object().oid());
        matter.shared().audit().failed(matter.ask(), told(why), detail);
    }

    private Failure told(Failure why) {
        return failure == null ? why : failure;
    }

    @Override
    public void refuse(Failure why) {
        matter.refuse(told(why));
    }

    @Override
    public boolean up(long bytes) {
        sent += bytes;
        return account.up(bytes);
    }

    @Override
    public boolean down(long bytes) {
        return account.down(bytes);
    }

    /// What was not sent may be sent another time.
    @Override
    public void over(boolean whole) {
        if (!counted) {
            counted = true;
            account.over(whole);
            matter.shared()
                    .budget()
                    .giveBack(matter.ask().session(), Math.max(0, action.object().size() - sent));
        }
    }
}
