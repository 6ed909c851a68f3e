package dev.sallyport.egress;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.Relay;
import dev.sallyport.relay.Spool;
import dev.sallyport.relay.SpoolBody;
import dev.sallyport.upstream.WebOrder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A request whose body is judged as a whole before anything of it goes upstream, its head and the
/// credential included. Until then the body is on disk; what is cut out of it stays there.
final class JudgedBody implements RequestHandler, Spool.Events {
    private final HostDoor door;
    private final Ask ask;
    private final Judgement.Allowed allowed;
    private final JsonGate gate;
    private final Spool spool;
    private long bytesLeft;
    private List<JsonGate.Cut> cuts = List.of();
    private Map<String, String> trailers = Map.of();
    private @Nullable RequestHandler relay;
    private boolean over;

    JudgedBody(HostDoor door, Ask ask, Judgement.Allowed allowed, JsonRoom room) {
        this.door = door;
        this.ask = ask;
        this.allowed = allowed;
        this.gate = JsonGate.of(allowed.permit(), room);
        this.spool = room.spool(ask.session().id(), ask.responder().loop(), this);
        this.bytesLeft =
                allowed.permit()
                        .inspection()
                        .flatMap(Inspection::requestBytesMax)
                        .orElse(Long.MAX_VALUE);
        ask.responder().proceed();
    }

    @Override
    public void body(ByteBuf piece) {
        if (over || !piece.isReadable()) {
            piece.release();
            return;
        }
        try {
            bytesLeft -= piece.readableBytes();
            if (bytesLeft < 0) {
                throw new RefusedException(Refusal.BODY_TOO_LARGE, "the body is too large");
            }
            gate.read(piece);
            spool.append(piece.retain());
            if (spool.isFull()) {
                ask.responder().pauseBody();
            }
        } catch (RefusedException e) {
            deny(e);
        } finally {
            piece.release();
        }
    }

    @Override
    public void trailers(Map<String, String> fields) {
        trailers = fields;
    }

    @Override
    public void end() {
        if (over) {
            return;
        }
        try {
            cuts = gate.finish();
            spool.finish();
        } catch (RefusedException e) {
            deny(e);
        }
    }

    @Override
    public void drained() {
        if (!over) {
            ask.responder().resumeBody();
        }
    }

    /// The record, the budget and everything upstream begin here.
    @Override
    public void spooled() {
        if (over) {
            return;
        }
        over = true;
        List<SpoolBody.Part> parts = parts();
        long bytes = parts.stream().mapToLong(part -> part.to() - part.from()).sum();
        SpoolBody body =
                new SpoolBody(Unpooled.EMPTY_BUFFER, spool.file(), parts, ask.responder().loop());
        body.onRelease(spool::close);
        Optional<Relay> begun =
                door.serve(ask, allowed, new BodyFraming.Sized(bytes), order -> of(order, body));
        if (begun.isPresent()) {
            relay = begun.get();
            body.onMore(begun.get()::more);
        } else {
            body.release();
        }
    }

    private WebBody of(WebOrder order, SpoolBody body) {
        WebBody judged = new WebBody(order, body);
        judged.trailers(trailers);
        return judged;
    }

    private List<SpoolBody.Part> parts() {
        List<SpoolBody.Part> parts = new ArrayList<>();
        long from = 0;
        for (JsonGate.Cut cut : cuts) {
            parts.add(new SpoolBody.Part(from, cut.from()));
            from = cut.to();
        }
        parts.add(new SpoolBody.Part(from, spool.bytes()));
        return parts;
    }

    @Override
    public void failed(Refusal reason) {
        if (!over) {
            deny(new RefusedException(reason, "the body could not be kept"));
        }
    }

    private void deny(RefusedException why) {
        close();
        boolean byRule = why.refusal() == Refusal.CONTENT_NOT_ALLOWED;
        Optional<String> rule = byRule ? Optional.ofNullable(why.getMessage()) : Optional.empty();
        door.deny(ask, new Judgement.Denied(why.refusal(), Optional.of(allowed.permit()), rule));
    }

    private void close() {
        over = true;
        gate.release();
        spool.close();
    }

    @Override
    public void abort(Refusal reason) {
        if (relay != null) {
            relay.abort(reason);
        } else if (!over) {
            close();
            door.gaveUp(ask, new Judgement.Denied(reason, Optional.of(allowed.permit())));
        }
    }

    @Override
    public void writabilityChanged(boolean writable) {
        if (relay != null) {
            relay.writabilityChanged(writable);
        }
    }
}
