package dev.sallyport.egress;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.async.ByteArrayFeeder;
import com.fasterxml.jackson.core.async.NonBlockingInputFeeder;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.RequestHead;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.JsonDenial;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Reads a JSON body as it passes and stops it when it has something in it that the rule denies
/// (E16). It keeps the last piece back until the whole document was accepted, so that upstream
/// never has a whole request that was not.
///
/// Strict where readers differ: one document in UTF-8, no name twice in an object. What it holds is
/// bounded however long the body is.
final class JsonGate {
    private static final int DEPTH_MAX = 256;
    private static final int NAME_CHARACTERS_MAX = 1_000;
    private static final int NUMBER_CHARACTERS_MAX = 1_000;

    /// Names are kept to find one that is there twice.
    private static final int NAMES_MAX = 100_000;

    private static final int NAMES_CHARACTERS_MAX = 1 << 20;

    /// A member that some denial is about has no text longer than this. The parser may see less of
    /// a longer one ([LongStrings]).
    private static final int WATCHED_TEXT_CHARACTERS_MAX = 10_000;

    private static final Pattern TYPE =
            Pattern.compile("(?i)application/json(?:[ \\t]*;[ \\t]*charset=\"?utf-8\"?)?");

    private static final JsonFactory JSON =
            JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxNestingDepth(DEPTH_MAX)
                                    .maxNameLength(NAME_CHARACTERS_MAX)
                                    .maxNumberLength(NUMBER_CHARACTERS_MAX)
                                    .maxStringLength(2 * LongStrings.BYTES_KEPT)
                                    .build())
                    .build();

    /// The body is not a document that may be sent.
    static final class DeniedException extends Exception {
        private static final long serialVersionUID = 1L;

        DeniedException() {
            super("not a document that may be sent", null, false, false);
        }
    }

    private final List<JsonDenial> denials;
    private final JsonParser parser;
    private final LongStrings strings = new LongStrings();
    private ByteBuf held = Unpooled.EMPTY_BUFFER;
    private int names;
    private int namesCharacters;
    private boolean complete;

    private JsonGate(List<JsonDenial> denials) throws IOException {
        this.denials = denials;
        this.parser = JSON.createNonBlockingByteArrayParser();
    }

    /// For the bodies of a rule that denies something in them.
    static Optional<JsonGate> of(EgressPermit permit) {
        List<JsonDenial> denials = denials(permit);
        try {
            return denials.isEmpty() ? Optional.empty() : Optional.of(new JsonGate(denials));
        } catch (IOException e) {
            throw new IllegalStateException("there is no parser", e);
        }
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
    ByteBuf pass(ByteBuf piece) throws DeniedException {
        try {
            byte[] shown = strings.shortened(piece);
            feeder().feedInput(shown, 0, shown.length);
            judge();
        } catch (IOException | DeniedException _) {
            piece.release();
            throw new DeniedException();
        }
        ByteBuf before = held;
        held = piece;
        return before;
    }

    /// The body is over; returns the last of it.
    ByteBuf finish() throws DeniedException {
        try {
            feeder().endOfInput();
            judge();
        } catch (IOException _) {
            throw new DeniedException();
        }
        if (!complete) {
            throw new DeniedException();
        }
        ByteBuf last = held;
        held = Unpooled.EMPTY_BUFFER;
        return last;
    }

    private ByteArrayFeeder feeder() throws IOException {
        NonBlockingInputFeeder feeder = parser.getNonBlockingInputFeeder();
        if (feeder instanceof ByteArrayFeeder bytes) {
            return bytes;
        }
        throw new IOException("the parser cannot be fed");
    }

    private void judge() throws IOException, DeniedException {
        JsonToken token = parser.nextToken();
        while (token != null && token != JsonToken.NOT_AVAILABLE) {
            if (complete || isDenied(token)) {
                throw new DeniedException();
            }
            complete = parser.getParsingContext().inRoot();
            token = parser.nextToken();
        }
    }

    private boolean isDenied(JsonToken token) throws IOException {
        return switch (token) {
            case FIELD_NAME -> isDenied(parser.currentName());
            case VALUE_STRING -> isDeniedText(member(parser.getParsingContext()));
            default -> false;
        };
    }

    private boolean isDenied(String name) {
        namesCharacters += name.length();
        return ++names > NAMES_MAX
                || namesCharacters > NAMES_CHARACTERS_MAX
                || denials.stream().anyMatch(denial -> denial.deniesMember(name));
    }

    private boolean isDeniedText(String member) throws IOException {
        if (denials.stream().noneMatch(denial -> denial.concerns(member))) {
            return false;
        }
        String text = parser.getText();
        return text.length() > WATCHED_TEXT_CHARACTERS_MAX
                || denials.stream().anyMatch(denial -> denial.denies(member, text));
    }

    /// The name of the member whose value this is, or in whose list it is.
    private static String member(JsonStreamContext context) {
        JsonStreamContext at = context;
        while (at != null && at.inArray()) {
            at = at.getParent();
        }
        return at == null || at.getCurrentName() == null ? "" : at.getCurrentName();
    }

    void release() {
        held.release();
        held = Unpooled.EMPTY_BUFFER;
        try {
            parser.close();
        } catch (IOException e) {
            throw new IllegalStateException("a parser cannot be closed", e);
        }
    }
}
