package dev.sallyport.egress;

import dev.sallyport.policy.Inspection;
import dev.sallyport.relay.BodySource;
import dev.sallyport.relay.PieceQueue;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.upstream.WebOrder;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The body of a request as its rule lets it through: not too large, which of one in chunks is
/// found out only here, and with nothing in it that is denied. Upstream is cut before the end of
/// what is refused, and so has no whole request.
final class WebBody implements BodySource {
    private final WebOrder order;
    private final PieceQueue pieces;
    private final Optional<JsonGate> gate;
    private Map<String, String> trailers = Map.of();

    WebBody(WebOrder order, JsonRoom room) {
        Optional<Inspection> inspection = order.permit().inspection();
        this.order = order;
        this.pieces =
                new PieceQueue(
                        inspection.flatMap(Inspection::requestBytesMax).orElse(Long.MAX_VALUE));
        this.gate = order.hasBody() ? JsonGate.of(order.permit(), room) : Optional.empty();
    }

    @Override
    public void offer(ByteBuf piece) throws RefusedException {
        pieces.offer(gate.isPresent() ? gate.get().pass(piece) : piece);
    }

    @Override
    public void finish() throws RefusedException {
        if (gate.isPresent()) {
            pieces.offer(gate.get().finish());
        }
        pieces.finish();
    }

    @Override
    public @Nullable ByteBuf poll() {
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
        gate.ifPresent(JsonGate::release);
    }
}
