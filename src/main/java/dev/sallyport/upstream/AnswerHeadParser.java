package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import dev.sallyport.upstream.AnswerHead.Field;
import dev.sallyport.upstream.AnswerHead.Framing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the head of an answer (RFC 9112, without its tolerances): a lenient reader upstream of us
/// and one downstream could otherwise see two different answers.
final class AnswerHeadParser {
    private static final Pattern STATUS_LINE =
            Pattern.compile("HTTP/1\\.([01]) ([1-5][0-9][0-9])(?: .*)?");

    /// The name of a field is a token; a folded line begins with a space and so has none.
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");
    private static final int FIELDS_MAX = 256;
    private static final int STATUS_LINE_BYTES_MAX = 1_024;

    private final boolean headRequest;
    private final int status;
    private final boolean old;
    private final List<Field> fields;

    private AnswerHeadParser(boolean headRequest, int status, boolean old, List<Field> fields) {
        this.headRequest = headRequest;
        this.status = status;
        this.old = old;
        this.fields = fields;
    }

    /// @param head without its closing empty line; one character per byte; free of control bytes
    ///   and bare line ends
    /// @param headRequest whether the request was HEAD, so that no body follows
    static AnswerHead parse(String head, boolean headRequest, Limits.Upstream limits)
            throws BadAnswerException {
        List<String> lines = Arrays.asList(head.split("\r\n", -1));
        Matcher line = STATUS_LINE.matcher(lines.getFirst());
        boolean endless = lines.getFirst().length() > STATUS_LINE_BYTES_MAX;
        if (endless || !line.matches() || lines.size() > FIELDS_MAX) {
            throw new BadAnswerException();
        }
        List<Field> fields = new ArrayList<>();
        for (String text : lines.subList(1, lines.size())) {
            fields.add(field(text, limits.fieldNameBytesMax()));
        }
        int status = Integer.parseInt(line.group(2));
        return new AnswerHeadParser(headRequest, status, line.group(1).equals("0"), fields).read();
    }

    private static Field field(String line, int nameBytesMax) throws BadAnswerException {
        int colon = Math.max(line.indexOf(':'), 0);
        String name = line.substring(0, colon);
        if (name.length() > nameBytesMax || !NAME.matcher(name).matches()) {
            throw new BadAnswerException();
        }
        // The only control character that is left here is the tab.
        return new Field(name.toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }

    private AnswerHead read() throws BadAnswerException {
        Framing framing = framing();
        boolean closes =
                old
                        || framing instanceof Framing.UntilClose
                        || values("connection").stream()
                                .flatMap(value -> Arrays.stream(value.split(",")))
                                .anyMatch(option -> option.strip().equalsIgnoreCase("close"));
        return new AnswerHead(status, fields, framing, old, !closes);
    }

    private Framing framing() throws BadAnswerException {
        List<String> codings = values("transfer-encoding");
        OptionalLong length = length();
        if (!codings.isEmpty() && length.isPresent()) {
            throw new BadAnswerException();
        }
        if (headRequest || status < 200 || status == 204 || status == 304) {
            return new Framing.None(length);
        }
        if (codings.isEmpty()) {
            return length.isPresent()
                    ? new Framing.Sized(length.getAsLong())
                    : new Framing.UntilClose();
        }
        if (old || codings.size() > 1 || !codings.getFirst().equalsIgnoreCase("chunked")) {
            throw new BadAnswerException();
        }
        return new Framing.Chunked();
    }

    private OptionalLong length() throws BadAnswerException {
        List<String> lengths = values("content-length");
        if (lengths.isEmpty()) {
            return OptionalLong.empty();
        }
        if (lengths.size() > 1 || !LENGTH.matcher(lengths.getFirst()).matches()) {
            throw new BadAnswerException();
        }
        return OptionalLong.of(Long.parseLong(lengths.getFirst()));
    }

    private List<String> values(String name) {
        return fields.stream()
                .filter(field -> field.name().equals(name))
                .map(Field::value)
                .toList();
    }
}
