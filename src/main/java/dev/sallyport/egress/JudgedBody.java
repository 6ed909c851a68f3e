package dev.sallyport.egress;

import dev.sallyport.approval.Asker;
import dev.sallyport.approval.Question;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.policy.EgressPermit;
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

/// A request whose body is judged as a whole, or hashed to be signed, before anything of it goes
/// upstream, its head and the credential included. Until then the body is on disk; what is cut out
/// of it stays there. If a rule has a person asked, they decide when all of it is there.
final class JudgedBody implements RequestHandler, Spool.Events {
    private final WebDoor door;
    private final Ask ask;
    private final Judgement.Allowed allowed;
    private final @Nullable WebQuestion question;
    private final Optional<JsonGate> gate;
    private final Optional<BodyHash> hash;
    private final Spool spool;
    private long bytesLeft;
    private List<JsonGate.Cut> cuts = List.of();
    private Map<String, String> trailers = Map.of();
    private @Nullable RequestHandler relay;
    private Asker.@Nullable Asked asked;
    private boolean over;

    JudgedBody(WebDoor door, Ask ask, Judgement.Allowed allowed, WebTerms terms) {
        this.door = door;
        this.ask = ask;
        this.allowed = allowed;
        this.question = allowed.asks() ? new WebQuestion(door.origin(), ask, allowed) : null;
        this.gate =
                JsonGate.isFor(allowed.permit(), ask.head())
                        ? Optional.of(JsonGate.of(allowed.permit(), terms.json()))
                        : Optional.empty();
        this.hash = BodyHash.of(allowed.permit());
        this.spool = terms.json().spool(ask.session().id(), ask.responder().loop(), this);
        long bytesMax =
                allowed.permit()
                        .inspection()
                        .flatMap(Inspection::requestBytesMax)
                        .orElse(Long.MAX_VALUE);
        this.bytesLeft = allowed.asks() ? Math.min(bytesMax, terms.askedBytesMax()) : bytesMax;
        ask.responder().proceed();
    }

    /// Whether there is a body that must be here before its request goes out.
    static boolean isFor(EgressPermit permit, RequestHead head) {
        return JsonGate.isFor(permit, head)
                || (BodyHash.of(permit).isPresent() && JsonGate.hasBody(head));
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
            if (gate.isPresent()) {
                gate.get().read(piece);
            }
            hash.ifPresent(h -> h.add(piece));
            if (question != null) {
                question.read(piece);
            }
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

    /// Nobody is shown them, so they stay here when somebody is asked.
    @Override
    public void trailers(Map<String, String> fields) {
        trailers = question == null ? fields : Map.of();
    }

    @Override
    public void end() {
        if (over) {
            return;
        }
        try {
            cuts = gate.isPresent() ? gate.get().finish() : List.of();
            if (hash.isPresent() && !cuts.isEmpty()) {
                throw new RefusedException(Refusal.INTERNAL, "what is signed is not what is sent");
            }
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

    @Override
    public void spooled() {
        if (over) {
            return;
        }
        if (question == null) {
            serve(allowed);
            return;
        }
        Optional<Question> shown = question.finish(spool.bytes());
        if (shown.isEmpty()) {
            deny(new RefusedException(Refusal.URL_NOT_ALLOWED, "nobody could see all of the URL"));
            return;
        }
        Asker.Asked waiting = ask.session().asker().ask(ask.session().id(), shown.get());
        asked = waiting;
        waiting.then(ask.responder().loop(), reply -> answered(waiting.id(), reply));
    }

    private void answered(String id, Asker.Reply reply) {
        if (over) {
            return;
        }
        Optional<Refusal> refusal = reply.outcome().refusal();
        if (refusal.isEmpty()) {
            serve(allowed.approved(id));
        } else {
            close();
            Optional<String> note = Optional.of(reply.note()).filter(said -> !said.isEmpty());
            door.deny(
                    ask, new Judgement.Denied(refusal.get(), Optional.of(allowed.permit()), note));
        }
    }

    /// The record, the budget and everything upstream begin here.
    private void serve(Judgement.Allowed decided) {
        over = true;
        List<SpoolBody.Part> parts = parts();
        long bytes = parts.stream().mapToLong(part -> part.to() - part.from()).sum();
        SpoolBody body =
                new SpoolBody(Unpooled.EMPTY_BUFFER, spool.file(), parts, ask.responder().loop());
        body.onRelease(spool::close);
        boolean none = ask.head().framing() instanceof BodyFraming.None;
        BodyFraming framing = none ? new BodyFraming.None() : new BodyFraming.Sized(bytes);
        Optional<Relay> begun = door.serve(ask, decided, framing, hash, order -> of(order, body));
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
        gate.ifPresent(JsonGate::release);
        spool.close();
    }

    @Override
    public void abort(Refusal reason) {
        if (relay != null) {
            relay.abort(reason);
        } else if (!over) {
            if (asked != null) {
                asked.withdraw();
            }
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
