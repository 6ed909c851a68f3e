package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Turns the text of one head into a [RequestHead] or says why not (RFC 9112, without its
/// tolerances).
final class HeadParser {
    private static final Pattern HOST =
            Pattern.compile("([A-Za-z0-9.-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}])(:[0-9]{1,5})?");

    private HeadParser() {}

    /// @param head the head without its closing empty line; one character per byte; already free of
    ///   control bytes and bare line ends
    static RequestHead parse(String head, DecodeTerms terms) throws BadHead {
        List<String> lines = Arrays.asList(head.split("\r\n", -1));
        RequestLine line = RequestLine.parse(lines.getFirst(), terms.form());
        HeadFields fields = HeadFields.parse(lines.subList(1, lines.size()), terms);
        BodyFraming framing = fields.framing();
        boolean expectsContinue = fields.expectsContinue();
        boolean keepAlive = fields.keepAlive();
        Optional<Refusal> objection = line.objection().or(fields::objection);
        if (objection.isPresent()) {
            throw BadHead.refused(objection.get());
        }
        String host = fields.kept().getOrDefault("host", impliedHost(line, lines.getFirst()));
        if (!HOST.matcher(host).matches()) {
            throw BadHead.refused(Refusal.BAD_REQUEST);
        }
        return new RequestHead(
                line.method(),
                line.path(),
                line.query(),
                line.authority().map(text -> text.toLowerCase(Locale.ROOT)),
                host.toLowerCase(Locale.ROOT),
                Map.copyOf(fields.kept()),
                framing,
                expectsContinue,
                keepAlive);
    }

    /// Host became mandatory with HTTP/1.1; only a `CONNECT` of the older version gets this far.
    private static String impliedHost(RequestLine line, String text) {
        return text.endsWith(RequestLine.OLD_VERSION) ? line.authority().orElse("") : "";
    }
}
