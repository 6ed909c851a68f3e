package dev.sallyport.gateway;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.TokenAnswer;
import dev.sallyport.credential.TokenAnswer.BadTokenAnswerException;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.Failure;
import dev.sallyport.upstream.Lane;
import dev.sallyport.upstream.UpstreamCall;
import dev.sallyport.upstream.UpstreamEvents;
import dev.sallyport.upstream.WebOrder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Asks a token endpoint for a token, once, on a connection of its own. Whatever is not plainly an
/// answer of such an endpoint says nothing about the login: a proxy or a gateway of the provider's
/// may have answered in its place.
final class TokenCall implements UpstreamEvents {
    /// What came of it.
    sealed interface Outcome {
        record Granted(TokenAnswer tokens) implements Outcome {}

        /// The endpoint itself says no, and will again.
        record Refused(int status, String error) implements Outcome {}

        /// Nothing was learned about the login.
        ///
        /// @param why for the record
        record Unavailable(String why) implements Outcome {}
    }

    private static final int SECONDS_MAX = 30;
    private static final Set<Integer> REFUSALS = Set.of(400, 401, 403);

    private final Lane lane;
    private final byte[] question;
    private final byte[] answer = new byte[TokenAnswer.BYTES_MAX];
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    private @Nullable UpstreamCall call;
    private boolean asked;
    private int status;
    private int length;

    private TokenCall(Lane lane, byte[] question) {
        this.lane = lane;
        this.question = question;
    }

    /// Never fails. Takes over the question and wipes it.
    static CompletableFuture<Outcome> post(
            Client client,
            EventLoop loop,
            EgressPermit permit,
            String path,
            String mediaType,
            byte[] question) {
        TokenCall call = new TokenCall(client.lane(), question);
        WebOrder order =
                new WebOrder(
                        permit,
                        true,
                        "POST",
                        path,
                        Map.of(
                                "content-type",
                                mediaType,
                                "accept",
                                "application/json",
                                "user-agent",
                                "sallyport"),
                        new BodyFraming.Sized(question.length),
                        false);
        loop.execute(() -> call.start(order, loop));
        return call.outcome;
    }

    private void start(WebOrder order, EventLoop loop) {
        var _ = loop.schedule(() -> finish(unavailable("too-slow")), SECONDS_MAX, TimeUnit.SECONDS);
        call = lane.call(order, new CredentialBook(List.of()), loop, this);
    }

    private static Outcome unavailable(String why) {
        return new Outcome.Unavailable(why);
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
        boolean json = one(head, "content-type").filter(TokenCall::isJson).isPresent();
        boolean plain = head.fields().stream().noneMatch(f -> f.name().equals("content-encoding"));
        if (!json || !plain || !(status == 200 || REFUSALS.contains(status))) {
            finish(unavailable("status-" + status));
        }
    }

    private static Optional<String> one(AnswerHead head, String name) {
        List<String> values =
                head.fields().stream()
                        .filter(f -> f.name().equals(name))
                        .map(AnswerHead.Field::value)
                        .toList();
        return values.size() == 1 ? Optional.of(values.getFirst()) : Optional.empty();
    }

    private static boolean isJson(String type) {
        return type.split(";", 2)[0].trim().equalsIgnoreCase("application/json");
    }

    @Override
    public void piece(ByteBuf piece) {
        int bytes = piece.readableBytes();
        if (outcome.isDone()) {
            piece.release();
        } else if (length + bytes > answer.length) {
            piece.release();
            finish(unavailable("too-large"));
        } else {
            piece.readBytes(answer, length, bytes);
            length += bytes;
            piece.release();
        }
    }

    @Override
    public void complete() {
        if (outcome.isDone()) {
            return;
        }
        byte[] whole = Arrays.copyOf(answer, length);
        try {
            finish(status == 200 ? granted(whole) : refused(whole));
        } finally {
            Arrays.fill(whole, (byte) 0);
        }
    }

    private static Outcome granted(byte[] whole) {
        try {
            return new Outcome.Granted(TokenAnswer.parse(whole, Instant.now()));
        } catch (BadTokenAnswerException _) {
            return unavailable("malformed");
        }
    }

    private Outcome refused(byte[] whole) {
        return TokenAnswer.error(whole)
                .<Outcome>map(error -> new Outcome.Refused(status, error))
                .orElseGet(() -> unavailable("status-" + status));
    }

    @Override
    public void failed(Failure failure) {
        finish(unavailable(failure.reason().code()));
    }
}
