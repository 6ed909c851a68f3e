package dev.sallyport.upstream;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A request whose answer is taken as a whole, within limits of bytes and time. Of an answer that
/// does not come to its end nothing is given away.
///
/// All of it on one event loop. Whoever begins one closes it, when the answer is not needed any
/// more or not wanted: until then it has its room, and then it is overwritten.
public final class WholeCall implements UpstreamEvents, AutoCloseable {
    /// What came of it.
    public sealed interface Outcome {
        /// The whole of it.
        ///
        /// @param body good until the call is closed
        @SuppressWarnings("ArrayRecordComponent") // Nobody compares answers.
        record Answered(AnswerHead head, byte[] body) implements Outcome {}

        /// There is no answer.
        ///
        /// @param status what the host answered before it failed; 0 when it did not
        /// @param why for the record
        record Failed(Failure failure, int status, String why) implements Outcome {}
    }

    /// How much it may take.
    ///
    /// @param room that many such calls share
    /// @param read of which answers the body is read; of others the head is all
    public record Terms(int bytesMax, int secondsMax, Room room, Predicate<AnswerHead> read) {
        public Terms(int bytesMax, int secondsMax, Room room) {
            this(bytesMax, secondsMax, room, _ -> true);
        }
    }

    private static final int FIRST_BYTES = 16 * 1_024;

    private final Terms terms;
    private final byte[] question;
    private final BooleanSupplier holds;
    private final Consumer<Outcome> told;
    private @Nullable UpstreamCall call;
    private @Nullable Future<?> clock;
    private @Nullable AnswerHead head;
    private byte[] answer = new byte[0];
    private int length;
    private boolean asked;
    private boolean over;
    private boolean closed;

    private WholeCall(Terms terms, byte[] question, BooleanSupplier holds, Consumer<Outcome> told) {
        this.terms = terms;
        this.question = question;
        this.holds = holds;
        this.told = told;
    }

    /// Called on the loop.
    ///
    /// @param caller begins the call upstream; gives none where the host is not configured
    /// @param question the request's body, as the order of the caller announces it
    /// @param holds whether the request may still be made; asked before anything is written
    /// @param told what came of it, once, later and on the loop; not when it is closed before
    public static WholeCall begin(
            EventLoop loop,
            Function<UpstreamEvents, Optional<UpstreamCall>> caller,
            byte[] question,
            Terms terms,
            BooleanSupplier holds,
            Consumer<Outcome> told) {
        WholeCall whole = new WholeCall(terms, question, holds, told);
        whole.clock =
                loop.schedule(
                        () -> whole.fail(Refusal.UPSTREAM_TIMEOUT, "too-slow"),
                        terms.secondsMax(),
                        TimeUnit.SECONDS);
        whole.call = caller.apply(whole).orElse(null);
        if (whole.call == null) {
            loop.execute(() -> whole.failed(Failure.of(Refusal.UPSTREAM_UNREACHABLE)));
        }
        return whole;
    }

    /// Asks a question of our own, on a connection of its own. It fails only if we are at fault.
    /// From any thread.
    ///
    /// @param question taken over and wiped
    /// @param meaning what the outcome says; told before the answer is overwritten
    public static <T> CompletableFuture<T> ask(
            Client client,
            EventLoop loop,
            WebOrder order,
            CredentialBook credentials,
            byte[] question,
            Terms terms,
            Function<Outcome, T> meaning) {
        CompletableFuture<T> meant = new CompletableFuture<>();
        loop.execute(
                () -> {
                    Lane lane = client.lane();
                    Runnable end =
                            () -> {
                                lane.close();
                                Arrays.fill(question, (byte) 0);
                            };
                    CompletableFuture<Outcome> told = new CompletableFuture<>();
                    try {
                        WholeCall call =
                                begin(
                                        loop,
                                        events ->
                                                Optional.of(
                                                        lane.call(
                                                                order, credentials, loop, events)),
                                        question,
                                        terms,
                                        () -> true,
                                        told::complete);
                        var _ =
                                told.thenApply(meaning)
                                        .whenComplete(
                                                (said, fault) -> {
                                                    call.close();
                                                    end.run();
                                                    settle(meant, said, fault);
                                                });
                    } catch (RuntimeException e) {
                        end.run();
                        meant.completeExceptionally(e);
                    }
                });
        return meant;
    }

    private static <T> void settle(
            CompletableFuture<T> meant, @Nullable T said, @Nullable Throwable fault) {
        if (said == null) {
            meant.completeExceptionally(
                    fault == null
                            ? new IllegalStateException("an outcome means something")
                            : fault);
        } else {
            meant.complete(said);
        }
    }

    @Override
    public boolean holds() {
        return holds.getAsBoolean();
    }

    @Override
    public void writable(boolean writable) {
        if (writable && !asked && call != null) {
            asked = true;
            call.write(Unpooled.copiedBuffer(question));
            call.end(Map.of());
        }
    }

    @Override
    public void begun(AnswerHead begun) {
        head = begun;
        if (!over && !terms.read().test(begun)) {
            tell(new Outcome.Answered(begun, new byte[0]));
        }
    }

    @Override
    public void piece(ByteBuf piece) {
        int bytes = piece.readableBytes();
        try {
            if (over) {
                return;
            }
            if (bytes > terms.bytesMax() - length) {
                fail(Refusal.UPSTREAM_MISBEHAVED, "too-large");
            } else if (!makeRoom(length + bytes)) {
                fail(Refusal.GATEWAY_BUSY, "no-room");
            } else {
                piece.readBytes(answer, length, bytes);
                length += bytes;
            }
        } finally {
            piece.release();
        }
    }

    private boolean makeRoom(int bytes) {
        if (bytes <= answer.length) {
            return true;
        }
        int larger = Math.min(terms.bytesMax(), Math.max(FIRST_BYTES, 2 * bytes));
        if (!terms.room().take(larger - answer.length)) {
            return false;
        }
        byte[] before = answer;
        answer = Arrays.copyOf(before, larger);
        Arrays.fill(before, (byte) 0);
        return true;
    }

    @Override
    public void complete() {
        if (!over && head != null) {
            tell(new Outcome.Answered(head, whole()));
        }
    }

    /// Exactly as long as the answer.
    private byte[] whole() {
        byte[] before = answer;
        if (length < before.length) {
            terms.room().give(before.length - length);
            answer = Arrays.copyOf(before, length);
            Arrays.fill(before, (byte) 0);
        }
        return answer;
    }

    @Override
    public void failed(Failure failure) {
        fail(failure, failure.reason().code());
    }

    private void fail(Refusal reason, String why) {
        fail(Failure.of(reason), why);
    }

    private void fail(Failure failure, String why) {
        if (!over) {
            tell(new Outcome.Failed(failure, head == null ? 0 : head.status(), why));
        }
    }

    private void tell(Outcome outcome) {
        end();
        told.accept(outcome);
    }

    private void end() {
        over = true;
        if (clock != null) {
            clock.cancel(false);
        }
        if (call != null) {
            call.close();
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        end();
        terms.room().give(answer.length);
        Arrays.fill(answer, (byte) 0);
        answer = new byte[0];
    }
}
