package dev.sallyport.egress;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.RequestHead;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.JsonDenial;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Reads a JSON body as it passes and stops it when it has something in it that the rule denies
/// (E16). It keeps the last piece back until the whole document was accepted, so that upstream
/// never has a whole request that was not.
final class JsonGate implements JsonScanner.Listener {
    private static final Pattern TYPE =
            Pattern.compile("(?i)application/json(?:[ \\t]*;[ \\t]*charset=\"?utf-8\"?)?");

    private final List<JsonDenial> denials;
    private final JsonScanner scanner;
    private ByteBuf held = Unpooled.EMPTY_BUFFER;

    private JsonGate(List<JsonDenial> denials, JsonRoom room) {
        this.denials = denials;
        this.scanner = new JsonScanner(this, room);
    }

    /// For the bodies of a rule that denies something in them.
    static Optional<JsonGate> of(EgressPermit permit, JsonRoom room) {
        List<JsonDenial> denials = denials(permit);
        return denials.isEmpty() ? Optional.empty() : Optional.of(new JsonGate(denials, room));
    }

    private static List<JsonDenial> denials(EgressPermit permit) {
        return permit.inspection().map(Inspection::jsonDenied).orElse(List.of());
    }

    /// What is against a body by its head: only JSON that nobody has to unpack can be judged.
    static Optional<Refusal> objection(EgressPermit permit, RequestHead head) {
        boolean judged = !denials(permit).isEmpty() && hasBody(head);
        boolean legible =
                head.field("content-type").filter(t -> TYPE.matcher(t).matches()).isPresent()
                        && head.field("content-encoding").orElse("identity").equals("identity");
        return judged && !legible ? Optional.of(Refusal.CONTENT_NOT_ALLOWED) : Optional.empty();
    }

    private static boolean hasBody(RequestHead head) {
        return switch (head.framing()) {
            case BodyFraming.None _ -> false;
            case BodyFraming.Sized(long bytes) -> bytes > 0;
            case BodyFraming.Chunked _ -> true;
        };
    }

    /// Takes ownership; returns what may be sent now, which may be nothing.
    ByteBuf pass(ByteBuf piece) throws RefusedException {
        try {
            for (int i = piece.readerIndex(); i < piece.writerIndex(); i++) {
                scanner.read(piece.getByte(i));
            }
        } catch (RefusedException e) {
            piece.release();
            throw e;
        }
        ByteBuf before = held;
        held = piece;
        return before;
    }

    /// The body is over; returns the last of it.
    ByteBuf finish() throws RefusedException {
        scanner.end();
        scanner.release();
        ByteBuf last = held;
        held = Unpooled.EMPTY_BUFFER;
        return last;
    }

    @Override
    public void name(String name) throws RefusedException {
        JsonScanner.require(denials.stream().noneMatch(denial -> denial.deniesMember(name)));
    }

    /// A text that is too long to be seen whole is denied where a denial watches.
    @Override
    public void text(String member, String text) throws RefusedException {
        boolean cut = text.length() > JsonScanner.TEXT_CHARACTERS_KEPT;
        for (JsonDenial denial : denials) {
            JsonScanner.require(!denial.denies(member, text) && !(cut && denial.concerns(member)));
        }
    }

    void release() {
        scanner.release();
        held.release();
        held = Unpooled.EMPTY_BUFFER;
    }
}
