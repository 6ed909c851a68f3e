package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import dev.sallyport.http.Ascii;
import dev.sallyport.http.Trailers;
import dev.sallyport.upstream.AnswerHead.Field;
import dev.sallyport.upstream.AnswerHead.Framing;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/// Reads the head of an answer (RFC 9112, without its tolerances): a lenient reader upstream of us
/// and one downstream could otherwise see two different answers.
final class AnswerHeadParser {
    private static final int LENGTH_DIGITS_MAX = 18;
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
        int end = lineEnd(head, 0);
        String line = head.substring(0, end);
        if (!isStatusLine(line)) {
            throw new BadAnswerException();
        }
        List<Field> fields = fields(head, end + 2, limits);
        int status = Integer.parseInt(line.substring(9, 12));
        return new AnswerHeadParser(headRequest, status, line.charAt(7) == '0', fields).read();
    }

    /// Fields after a body. One that frames a message or directs a connection says something else
    /// to whoever joins it with the head.
    ///
    /// @param text as a head, without its first line
    static List<Field> trailers(String text, Limits.Upstream limits) throws BadAnswerException {
        List<Field> fields = fields(text, 0, limits);
        for (Field field : fields) {
            if (Trailers.isFraming(field.name())) {
                throw new BadAnswerException();
            }
        }
        return fields;
    }

    private static List<Field> fields(String text, int from, Limits.Upstream limits)
            throws BadAnswerException {
        List<Field> fields = new ArrayList<>();
        int start = from;
        while (start < text.length()) {
            int end = lineEnd(text, start);
            fields.add(field(text, start, end, limits.fieldNameBytesMax()));
            if (fields.size() >= FIELDS_MAX) {
                throw new BadAnswerException();
            }
            start = end + 2;
        }
        return fields;
    }

    private static int lineEnd(String head, int start) {
        int end = head.indexOf("\r\n", start);
        return end < 0 ? head.length() : end;
    }

    /// `HTTP/1.0` or `HTTP/1.1`, a status from 100 to 599, and perhaps words.
    private static boolean isStatusLine(String line) {
        return line.length() >= 12
                && line.length() <= STATUS_LINE_BYTES_MAX
                && line.startsWith("HTTP/1.")
                && (line.charAt(7) == '0' || line.charAt(7) == '1')
                && line.charAt(8) == ' '
                && line.charAt(9) >= '1'
                && line.charAt(9) <= '5'
                && Ascii.areDigits(line.substring(9, 12))
                && (line.length() == 12 || line.charAt(12) == ' ');
    }

    /// The name of a field is a token; a folded line begins with a space and so has none.
    private static Field field(String text, int start, int end, int nameBytesMax)
            throws BadAnswerException {
        int colon = text.indexOf(':', start, end);
        if (colon <= start || colon - start > nameBytesMax) {
            throw new BadAnswerException();
        }
        String name = text.substring(start, colon);
        if (!Ascii.isToken(name)) {
            throw new BadAnswerException();
        }
        // Nearly every value has a blank before it, and stripping copies.
        int value = colon + 1;
        while (value < end && text.charAt(value) == ' ') {
            value++;
        }
        // The only control character that is left here is the tab.
        return new Field(name.toLowerCase(Locale.ROOT), text.substring(value, end).strip());
    }

    private AnswerHead read() throws BadAnswerException {
        Framing framing = framing();
        boolean lasting = !old && !(framing instanceof Framing.UntilClose) && !closes();
        return new AnswerHead(status, fields, framing, old, lasting);
    }

    private boolean closes() {
        for (String value : values("connection")) {
            for (String option : value.split(",", -1)) {
                if (option.strip().equalsIgnoreCase("close")) {
                    return true;
                }
            }
        }
        return false;
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
        if (lengths.size() > 1 || !isLength(lengths.getFirst())) {
            throw new BadAnswerException();
        }
        return OptionalLong.of(Long.parseLong(lengths.getFirst()));
    }

    private static boolean isLength(String text) {
        return text.length() <= LENGTH_DIGITS_MAX && Ascii.areDigits(text);
    }

    private List<String> values(String name) {
        return AnswerHead.values(fields, name);
    }
}
