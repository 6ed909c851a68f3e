package dev.sallyport.forge;

import dev.sallyport.http.Responder;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.AnswerFilter;
import dev.sallyport.relay.Outlet;
import dev.sallyport.relay.PieceQueue;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.Relay;
import dev.sallyport.relay.SessionAccount;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.DownloadOrder;
import dev.sallyport.upstream.Failure;
import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// An answer that is passed on as it comes: a file, a diff, a log. What upstream has to say instead
/// is read as a whole.
final class ApiStreaming implements ApiRequest.State, Outlet {
    private static final int OK = 200;

    private final ApiRequest request;
    private final Relay relay;
    private final Consumer<AnswerHead> otherwise;
    private @Nullable Future<?> clock;
    private @Nullable AnswerHead other;
    private boolean begun;

    /// @param otherwise goes on with an answer that is not passed on
    private ApiStreaming(
            ApiRequest request,
            Ruling.Send send,
            Client.Order order,
            Consumer<AnswerHead> otherwise) {
        this.request = request;
        this.otherwise = otherwise;
        this.relay =
                new Relay(
                        responder(),
                        events -> Relay.found(request.call(order, events)),
                        new PieceQueue(0),
                        new AnswerFilter.Unchanged(),
                        this,
                        new SessionAccount(
                                request.shared().usage(),
                                request.door().session(),
                                request.shared().limits().downloadBytesMax()),
                        () -> request.holds(send.relies()));
    }

    /// What the API itself has. JSON is scrubbed, so it is asked for once more as that.
    static void begin(ApiRequest request, Ruling.Send send) {
        new ApiStreaming(request, send, send.order(), _ -> ApiSending.begin(request, send)).start();
    }

    /// What the API has elsewhere.
    static void begin(ApiRequest request, Ruling.Send send, DownloadOrder order) {
        new ApiStreaming(request, send, order, _ -> request.fail(Refusal.UPSTREAM_MISBEHAVED))
                .start();
    }

    private Responder responder() {
        return request.ask().responder();
    }

    private void start() {
        request.become(this);
        clock =
                responder()
                        .loop()
                        .schedule(
                                () -> relay.failed(Failure.of(Refusal.UPSTREAM_TIMEOUT)),
                                request.shared().limits().downloadSecondsMax(),
                                TimeUnit.SECONDS);
        relay.start();
    }

    @Override
    public void begin(AnswerHead head, OptionalLong length) throws RefusedException {
        if (!head.values("content-encoding").isEmpty()) {
            throw new RefusedException(Refusal.UPSTREAM_MISBEHAVED, "the answer is compressed");
        }
        if (head.status() != OK || ApiAnswer.isJson(head)) {
            other = head;
            throw new RefusedException(Refusal.UPSTREAM_MISBEHAVED, "no file");
        }
        begun = true;
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("content-type", ApiAnswer.type(head));
        fields.putAll(ApiAnswer.fields(request.ask(), head));
        responder().start(OK, fields, length);
    }

    @Override
    public void write(ByteBuf piece) {
        responder().write(piece);
    }

    @Override
    public void complete() {
        request.complete();
    }

    /// Whoever ends the request records it.
    @Override
    public void failed(Failure failure) {}

    @Override
    public void refuse(Failure failure) {
        if (other != null) {
            otherwise.accept(other);
        } else if (begun) {
            request.cut(failure);
        } else {
            request.fail(failure);
        }
    }

    @Override
    public void writabilityChanged(boolean writable) {
        relay.writabilityChanged(writable);
    }

    @Override
    public void leave() {
        if (clock != null) {
            clock.cancel(false);
        }
        relay.abort(Refusal.INTERNAL);
    }
}
