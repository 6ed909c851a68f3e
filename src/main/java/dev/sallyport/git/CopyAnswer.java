package dev.sallyport.git;

import dev.sallyport.audit.Recorder;
import dev.sallyport.credential.EchoException;
import dev.sallyport.credential.EchoGuard;
import dev.sallyport.mirror.Mirror;
import dev.sallyport.mirror.MirrorException;
import dev.sallyport.mirror.Upload;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Account;
import dev.sallyport.relay.AnswerFilter;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.JudgeQueue;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.SessionAccount;
import dev.sallyport.upstream.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.jspecify.annotations.Nullable;

/// Answers one fetch from the local copy, if upstream shows its refs to this session now and the
/// copy has all that is wanted; otherwise the request is relayed, and nobody notices the attempt.
///
/// A worker makes the answer and blocks while the sandbox is slow to take it; what is between them
/// is bounded. Other methods are called on the event loop.
///
/// ```
/// PREPARING --first piece is full, and recorded--> SENDING --all taken--> OVER
///     +-----whatever goes wrong: relayed-------> OVER <--cut--------------+
/// ```
final class CopyAnswer {
    private static final System.Logger LOG = System.getLogger(CopyAnswer.class.getName());
    private static final int PIECE_BYTES = 65_536;
    private static final int PIECES_MAX = 8;
    private static final int STALL_SECONDS_MAX = 60;

    /// A sandbox is on this machine: one that is slower holds memory that others could use.
    private static final int BYTES_PER_SECOND_MIN = 16_384;

    private enum State {
        PREPARING,
        SENDING,
        OVER
    }

    /// Writes a request anew with those of its claims that a session can see.
    interface Rewriting {
        byte[] with(Set<ObjectName> seen) throws RefusedException;
    }

    /// A fetch, however it was written.
    ///
    /// @param version of the protocol: 0 or 2
    /// @param bytes what the sandbox sent
    record Question(FetchRequest request, Rewriting rewriting, int version, int bytes) {}

    private final CopyFetches copies;
    private final Surroundings surroundings;
    private final Ask ask;
    private final GitPermit permit;
    private final Question question;
    private final FetchAnswer outlet;
    private final WaitTalk talk;
    private final AnswerFilter filter;
    private final Runnable otherwise;
    private final Account account;
    private final Semaphore room = new Semaphore(PIECES_MAX);
    private final Deque<ByteBuf> pieces = new ArrayDeque<>();
    private volatile State state = State.PREPARING;
    private Optional<EchoGuard> guard = Optional.empty();
    private JudgeQueue.@Nullable Turn turn;
    private boolean complete;

    /// @param otherwise relays the request; called at most once, and before any object is sent
    CopyAnswer(
            CopyFetches copies,
            Surroundings surroundings,
            Ask ask,
            GitPermit permit,
            Question question,
            FetchAnswer outlet,
            Runnable otherwise) {
        this.copies = copies;
        this.surroundings = surroundings;
        this.ask = ask;
        this.permit = permit;
        this.question = question;
        this.outlet = outlet;
        this.talk = outlet.waits(question.request());
        this.filter = outlet.filter();
        this.otherwise = otherwise;
        this.account = new SessionAccount(surroundings.usage(), ask.session().id());
    }

    void start() {
        turn = copies.submit(permit.session(), this::work).orElse(null);
        if (turn == null) {
            giveUp();
        }
    }

    /// On a worker's thread.
    private void work() {
        boolean done = false;
        Optional<Refusal> refusal = Optional.empty();
        try (Mirror copy = copies.refresh(ask.session(), permit, talk.copying(permit.repo()))) {
            send(copy);
            done = true;
        } catch (NotRecordedException e) {
            refusal = Optional.of(e.refusal);
        } catch (MirrorException | IOException | RefusedException e) {
            LOG.log(System.Logger.Level.DEBUG, "a fetch is not answered from a copy", e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a copy did not answer a fetch", e);
        } finally {
            Optional<Refusal> told = refusal;
            ask.responder().loop().execute(done ? this::made : () -> notMade(told));
        }
    }

    private void send(Mirror copy) throws IOException, RefusedException {
        FetchRequest request = question.request();
        talk.at("making the answer from the copy");
        try (Upload upload = copy.upload(request.wants(), request.claims())) {
            byte[] body = question.rewriting().with(upload.seen());
            Pipe pipe = new Pipe();
            upload.answer(body, question.version(), pipe);
            pipe.close();
        } catch (CorruptObjectException | MissingObjectException e) {
            copy.distrust();
            // A new copy may be no better, if upstream has it like that: pushes shall find it.
            copies.rest(permit);
            throw e;
        }
    }

    private static final class NotRecordedException extends IOException {
        private static final long serialVersionUID = 1L;
        private final Refusal refusal;

        NotRecordedException(Refusal refusal) {
            super("the fetch was not recorded");
            this.refusal = refusal;
        }
    }

    /// From the worker to the event loop, piece by piece. Flushing does nothing: a first piece that
    /// is not sent yet can still be taken back.
    private final class Pipe extends OutputStream {
        private byte[] piece = new byte[PIECE_BYTES];
        private int length;
        private boolean recorded;
        private long pieceCount;
        private long begunNanos;

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            int from = offset;
            int left = count;
            while (left > 0) {
                if (length == PIECE_BYTES) {
                    hand();
                }
                int some = Math.min(left, PIECE_BYTES - length);
                System.arraycopy(bytes, from, piece, length, some);
                length += some;
                from += some;
                left -= some;
            }
        }

        private void hand() throws IOException {
            try {
                if (!recorded) {
                    record();
                    recorded = true;
                    begunNanos = System.nanoTime();
                }
                pieceCount++;
                if (isTooSlow() || !room.tryAcquire(STALL_SECONDS_MAX, TimeUnit.SECONDS)) {
                    throw new IOException("the sandbox takes nothing");
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("the answer was interrupted");
            }
            if (state == State.OVER) {
                throw new IOException("nobody waits for the answer");
            }
            ByteBuf full = Unpooled.wrappedBuffer(piece, 0, length);
            piece = new byte[PIECE_BYTES];
            length = 0;
            ask.responder().loop().execute(() -> take(full));
        }

        private boolean isTooSlow() {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begunNanos);
            return seconds > STALL_SECONDS_MAX
                    && pieceCount * PIECE_BYTES < seconds * BYTES_PER_SECOND_MIN;
        }

        private void record() throws IOException, InterruptedException {
            try {
                surroundings.audit().copied(ask, permit, question.request().wants().size()).get();
            } catch (ExecutionException e) {
                throw new NotRecordedException(Recorder.refusal(e));
            }
        }

        @Override
        public void close() throws IOException {
            if (length > 0) {
                hand();
            }
        }
    }

    private void take(ByteBuf piece) {
        if (state == State.PREPARING) {
            begin();
        }
        if (state == State.SENDING) {
            pieces.add(piece);
            drain();
        }
    }

    private void begin() {
        try {
            guard = ask.session().credentials().guard(permit);
            state = State.SENDING;
            account.up(question.bytes());
        } catch (IllegalStateException _) {
            fail(Refusal.SESSION_ENDED);
        }
    }

    /// Gives the sandbox what it can take now.
    void drain() {
        while (state == State.SENDING && ask.responder().isWritable() && !pieces.isEmpty()) {
            ByteBuf piece = pieces.remove();
            room.release();
            if (!ask.holds(permit)) {
                piece.release();
                fail(Refusal.RIGHTS_CHANGED);
                return;
            }
            try {
                filter.accept(guard.isPresent() ? guard.get().pass(piece) : piece, this::write);
            } catch (RefusedException e) {
                fail(e.refusal());
            } catch (EchoException _) {
                fail(Refusal.UPSTREAM_MISBEHAVED);
            }
        }
        if (state == State.SENDING && complete && pieces.isEmpty()) {
            finish();
        }
    }

    private void write(ByteBuf piece) {
        if (piece.isReadable()) {
            account.down(piece.readableBytes());
            outlet.write(piece);
        } else {
            piece.release();
        }
    }

    private void made() {
        complete = true;
        if (state == State.PREPARING) {
            giveUp();
        } else {
            drain();
        }
    }

    private void finish() {
        try {
            if (guard.isPresent()) {
                filter.accept(guard.get().rest(), this::write);
            }
            filter.finish();
        } catch (RefusedException e) {
            fail(e.refusal());
            return;
        }
        close(true);
        outlet.complete();
    }

    private void notMade(Optional<Refusal> refusal) {
        switch (state) {
            case PREPARING -> refusal.ifPresentOrElse(this::fail, this::giveUp);
            case SENDING -> fail(refusal.orElse(Refusal.INTERNAL));
            case OVER -> {}
        }
    }

    private void giveUp() {
        close(false);
        otherwise.run();
    }

    private void fail(Refusal reason) {
        close(false);
        outlet.failed(Failure.of(reason));
        outlet.refuse(Failure.of(reason));
    }

    /// The sandbox is gone, or its session over.
    void abort(Refusal reason) {
        if (state != State.OVER) {
            close(false);
            outlet.failed(Failure.of(reason));
            if (turn != null) {
                turn.cancel();
            }
        }
    }

    private void close(boolean whole) {
        state = State.OVER;
        account.over(whole);
        pieces.forEach(ByteBuf::release);
        pieces.clear();
        filter.release();
        guard.ifPresent(EchoGuard::release);
        // The worker finds out instead of waiting.
        room.release(PIECES_MAX);
    }
}
