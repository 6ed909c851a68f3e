package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Turns the text of one head into a [RequestHead] or says why not (RFC 9112, without its
/// tolerances).
final class HeadParser {
    private static final int NAME_CHARACTERS_MAX = 253;
    private static final int ADDRESS_CHARACTERS_MIN = 2;
    private static final int ADDRESS_CHARACTERS_MAX = 45;
    private static final int PORT_DIGITS_MAX = 5;

    private HeadParser() {}

    /// @param head the head without its closing empty line; one character per byte; already free of
    ///   control bytes and bare line ends
    static RequestHead parse(String head, DecodeTerms terms) throws BadHead {
        List<String> lines = HeadFields.lines(head);
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
        if (!isHost(host)) {
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

    /// A name or an address in brackets, and perhaps a port.
    private static boolean isHost(String host) {
        boolean address = host.startsWith("[");
        int colon = host.indexOf(':', address ? host.indexOf(']') + 1 : 0);
        int end = colon < 0 ? host.length() : colon;
        boolean named =
                address
                        ? end > 1
                                && host.charAt(end - 1) == ']'
                                && isAddress(host.substring(1, end - 1))
                        : end <= NAME_CHARACTERS_MAX
                                && Ascii.consistsOf(Ascii.HOST, host.substring(0, end));
        return named && (colon < 0 || isPort(host.substring(colon + 1)));
    }

    private static boolean isAddress(String text) {
        return text.length() >= ADDRESS_CHARACTERS_MIN
                && text.length() <= ADDRESS_CHARACTERS_MAX
                && Ascii.consistsOf(Ascii.ADDRESS, text);
    }

    private static boolean isPort(String text) {
        return text.length() <= PORT_DIGITS_MAX && Ascii.areDigits(text);
    }

    /// Host became mandatory with HTTP/1.1; only a `CONNECT` of the older version gets this far.
    private static String impliedHost(RequestLine line, String text) {
        return text.endsWith(RequestLine.OLD_VERSION) ? line.authority().orElse("") : "";
    }
}
