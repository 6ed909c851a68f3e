package dev.sallyport.git;

import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.AnswerFilter;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.Outlet;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Failure;
import io.netty.buffer.ByteBuf;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What git hears of a fetch: what the copy or upstream gives. While it waits for the copy, and if
/// its answer can begin in one way only ([FetchOpening]), it is told in the side band how far that
/// is; whoever gives the answer then goes on behind these lines.
///
/// ```
/// SILENT --first line is due--> OPEN --first byte of the answer--> PASSING
///    +------------------first byte of the answer----------------------^
/// ```
///
/// A failure in OPEN is an error of the side band, with the words that the status would have had
/// with it; in PASSING it cuts the answer. git takes neither for success.
final class FetchAnswer implements Outlet, Teller.Voice {
    private enum State {
        SILENT,
        OPEN,
        PASSING
    }

    private final Ask ask;
    private final GitPermit permit;
    private final WaitTalk.Pace pace;
    private final Supplier<AnswerFilter> unopened;
    private final GitOutlet outlet;
    private FetchOpening opening = FetchOpening.UNKNOWN;
    private State state = State.SILENT;
    private @Nullable WaitTalk talk;
    private @Nullable Teller teller;

    /// @param unopened filters an answer that passes from its beginning
    FetchAnswer(
            GitAudit audit,
            Ask ask,
            GitPermit permit,
            WaitTalk.Pace pace,
            Supplier<AnswerFilter> unopened) {
        this.pace = pace;
        this.ask = ask;
        this.permit = permit;
        this.unopened = unopened;
        this.outlet = new GitOutlet(audit, ask, GitWire.resultType(permit.service()));
    }

    /// From now on it waits for the copy. May be called again.
    WaitTalk waits(FetchRequest request) {
        if (talk == null) {
            talk = WaitTalk.ofFetch(pace, request.quiet(), System.nanoTime());
            opening = request.opening();
            if (opening != FetchOpening.UNKNOWN) {
                teller = new Teller(talk, ask.responder().loop(), this);
            }
        }
        return talk;
    }

    /// The copy does not answer. Upstream does so itself, with a status of its own if nothing was
    /// said yet.
    void relays() {
        if (state == State.OPEN && talk != null) {
            talk.at("asking " + permit.repo().host() + " for the objects");
        } else {
            hush();
        }
    }

    private void hush() {
        if (teller != null) {
            teller.stop();
        }
    }

    private void hush(String end) {
        if (teller != null) {
            teller.stop(end);
            teller = null;
        }
    }

    @Override
    public boolean isOpen() {
        return state != State.PASSING && ask.responder().isWritable() && ask.holds(permit);
    }

    @Override
    public void say(String text) {
        open();
        outlet.write(PushReport.line(text));
    }

    @Override
    public void sayOver(String text) {
        open();
        outlet.write(PushReport.passing(text));
    }

    private void open() {
        if (state == State.SILENT) {
            state = State.OPEN;
            outlet.write(opening.packet());
            outlet.write(PushReport.lines(ask.session().notices()));
        }
    }

    /// For one answer, of whoever gives it.
    AnswerFilter filter() {
        return new Filter();
    }

    @Override
    public void begin(AnswerHead head, OptionalLong length) {
        outlet.begin(head, length);
    }

    @Override
    public void write(ByteBuf piece) {
        hush(", done");
        state = State.PASSING;
        outlet.write(piece);
    }

    @Override
    public void complete() {
        hush();
        outlet.complete();
    }

    @Override
    public void failed(Failure failure) {
        hush();
        outlet.failed(failure);
    }

    @Override
    public void refuse(Failure failure) {
        if (state == State.OPEN) {
            fail(ask.refusalText(failure));
        } else {
            outlet.refuse(failure);
        }
    }

    /// The same words for what is hidden and for what does not exist.
    void notOurs(ObjectName id) {
        failed(Failure.of(Refusal.REF_NOT_ALLOWED));
        String text = "sallyport: not our ref " + id + "\n";
        if (state == State.OPEN) {
            fail(text);
        } else {
            outlet.error(text);
        }
    }

    private void fail(String text) {
        hush("");
        outlet.write(PushReport.error(text));
        outlet.complete();
    }

    /// Chosen with the first thing that there is of an answer, because until then a line may open
    /// it.
    private final class Filter implements AnswerFilter {
        private @Nullable AnswerFilter chosen;

        private AnswerFilter chosen() {
            if (chosen == null) {
                if (state == State.OPEN) {
                    chosen = opening.taken();
                } else {
                    hush();
                    chosen = unopened.get();
                }
            }
            return chosen;
        }

        @Override
        public void accept(ByteBuf piece, Consumer<ByteBuf> out) throws RefusedException {
            chosen().accept(piece, out);
        }

        @Override
        public void finish() throws RefusedException {
            chosen().finish();
        }

        @Override
        public void release() {
            if (chosen != null) {
                chosen.release();
            }
        }

        @Override
        public boolean keepsLength() {
            return chosen().keepsLength();
        }
    }
}
