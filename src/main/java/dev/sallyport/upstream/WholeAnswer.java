package dev.sallyport.upstream;

import dev.sallyport.credential.CredentialBook;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One question of our own to a host besides git, and the whole answer: nothing of a sandbox's is
/// in it, and little is expected. Bounded in bytes and time; no redirect is followed, because an
/// answer with one is like any other.
public final class WholeAnswer implements UpstreamEvents {
    private static final int SECONDS_MAX = 30;
    private static final int BYTES_FIRST = 4 * 1_024;

    /// What came of it.
    public sealed interface Outcome {
        /// The host has answered, whatever that means.
        ///
        /// @param json the body, if it is one of JSON and not encoded; whoever has it wipes it
        record Answered(int status, Optional<byte[]> json) implements Outcome {}

        /// There is no answer that could be read.
        ///
        /// @param why for the record
        record Unanswered(String why) implements Outcome {}
    }

    private final Lane lane;
    private final byte[] question;
    private final int bytesMax;
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    private @Nullable UpstreamCall call;
    private byte[] answer = new byte[BYTES_FIRST];
    private boolean asked;
    private int status;
    private int length;

    private WholeAnswer(Lane lane, byte[] question, int bytesMax) {
        this.lane = lane;
        this.question = question;
        this.bytesMax = bytesMax;
    }

    /// Never fails.
    ///
    /// @param question the body that the order announces; taken over and wiped
    /// @param bytesMax of the answer's body; 0 reads none
    public static CompletableFuture<Outcome> of(
            Client client,
            EventLoop loop,
            WebOrder order,
            CredentialBook credentials,
            byte[] question,
            int bytesMax) {
        WholeAnswer call = new WholeAnswer(client.lane(), question, bytesMax);
        loop.execute(() -> call.start(order, credentials, loop));
        return call.outcome;
    }

    /// As [#of], when its status is all that matters of an answer: nothing of its body is read.
    public static CompletableFuture<Outcome> ofStatus(
            Client client,
            EventLoop loop,
            WebOrder order,
            CredentialBook credentials,
            byte[] question) {
        return of(client, loop, order, credentials, question, 0);
    }

    private void start(WebOrder order, CredentialBook credentials, EventLoop loop) {
        var _ = loop.schedule(() -> finish(unanswered("too-slow")), SECONDS_MAX, TimeUnit.SECONDS);
        call = lane.call(order, credentials, loop, this);
    }

    private static Outcome unanswered(String why) {
        return new Outcome.Unanswered(why);
    }

    private void finish(Outcome found) {
        if (outcome.isDone()) {
            return;
        }
        if (call != null) {
            call.close();
        }
        lane.close();
        Arrays.fill(question, (byte) 0);
        Arrays.fill(answer, (byte) 0);
        outcome.complete(found);
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
    public void begun(AnswerHead head) {
        status = head.status();
        List<String> types = head.values("content-type");
        boolean json =
                types.size() == 1
                        && isJson(types.getFirst())
                        && head.values("content-encoding").isEmpty();
        if (!json || bytesMax == 0) {
            finish(new Outcome.Answered(status, Optional.empty()));
        }
    }

    private static boolean isJson(String type) {
        return type.split(";", 2)[0].trim().equalsIgnoreCase("application/json");
    }

    @Override
    public void piece(ByteBuf piece) {
        int bytes = piece.readableBytes();
        if (outcome.isDone()) {
            piece.release();
        } else if (bytes > bytesMax - length) {
            piece.release();
            finish(unanswered("too-large"));
        } else {
            room(length + bytes);
            piece.readBytes(answer, length, bytes);
            length += bytes;
            piece.release();
        }
    }

    private void room(int needed) {
        if (needed > answer.length) {
            byte[] larger = Arrays.copyOf(answer, Math.min(bytesMax, needed * 2));
            Arrays.fill(answer, (byte) 0);
            answer = larger;
        }
    }

    @Override
    public void complete() {
        if (!outcome.isDone()) {
            finish(new Outcome.Answered(status, Optional.of(Arrays.copyOf(answer, length))));
        }
    }

    @Override
    public void failed(Failure failure) {
        finish(unanswered(failure.reason().code()));
    }
}
