package dev.sallyport.egress;

import dev.sallyport.policy.Inspection;
import dev.sallyport.relay.BodySource;
import dev.sallyport.relay.PieceQueue;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.upstream.WebOrder;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The body of a request as it comes, with the fields behind it that may pass.
final class WebBody implements BodySource {
    private final WebOrder order;
    private final BodySource pieces;
    private Map<String, String> trailers = Map.of();

    WebBody(WebOrder order, BodySource pieces) {
        this.order = order;
        this.pieces = pieces;
    }

    /// Not too large, which of one in chunks is found out only here. Upstream is cut before the end
    /// of one that is, and so has no whole request.
    static WebBody streamed(WebOrder order) {
        return new WebBody(order, new PieceQueue(bytesMax(order)));
    }

    private static long bytesMax(WebOrder order) {
        return order.permit()
                .inspection()
                .flatMap(Inspection::requestBytesMax)
                .orElse(Long.MAX_VALUE);
    }

    @Override
    public void offer(ByteBuf piece) throws RefusedException {
        pieces.offer(piece);
    }

    @Override
    public void finish() throws RefusedException {
        pieces.finish();
    }

    @Override
    public @Nullable ByteBuf poll() throws RefusedException {
        return pieces.poll();
    }

    @Override
    public boolean isDone() {
        return pieces.isDone();
    }

    @Override
    public void trailers(Map<String, String> fields) {
        trailers = PassedFields.trailers(fields, order);
    }

    @Override
    public Map<String, String> trailers() {
        return trailers;
    }

    @Override
    public void release() {
        pieces.release();
    }
}
