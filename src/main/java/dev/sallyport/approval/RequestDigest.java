package dev.sallyport.approval;

import dev.sallyport.policy.Hashes;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// What a question names a request by: the digest of its body, as it arrives, and that of the rest.
public final class RequestDigest {
    private final MessageDigest sha256 = Hashes.sha256();
    private final ByteBuffer beginning = ByteBuffer.allocate(Question.TEXT_CHARACTERS_MAX);
    private boolean isText = true;
    private boolean isCut;

    /// Reads all of a piece.
    public void read(ByteBuffer piece) {
        ByteBuffer some = piece.duplicate();
        sha256.update(piece);
        while (some.hasRemaining() && beginning.hasRemaining()) {
            byte next = some.get();
            isText &= next >= ' ' || next < 0 || next == '\n' || next == '\r' || next == '\t';
            beginning.put(next);
        }
        isCut |= some.hasRemaining();
    }

    /// SHA-256 of all that was read, in hexadecimal; to be called once.
    public String content() {
        return HexFormat.of().formatHex(sha256.digest());
    }

    /// What a person is shown of a request with this body; empty when its URL is too long to be
    /// shown as a whole.
    ///
    /// @param url as it is shown
    /// @param sent the URL as it would be sent
    public Optional<Question.Request> request(
            String operation, String method, String url, String sent, Map<String, String> fields) {
        if (!ShownText.fits(url, Question.URL_CHARACTERS_MAX)) {
            return Optional.empty();
        }
        List<String> lines =
                new TreeMap<>(fields)
                        .entrySet().stream()
                                .map(field -> field.getKey() + ": " + field.getValue())
                                .toList();
        boolean complete =
                isWhole()
                        && lines.size() <= Question.FIELDS_MAX
                        && lines.stream()
                                .allMatch(
                                        line -> ShownText.fits(line, Question.LINE_CHARACTERS_MAX));
        return Optional.of(
                new Question.Request(
                        ShownText.line(operation),
                        ShownText.line(method),
                        ShownText.of(url, Question.URL_CHARACTERS_MAX),
                        lines.stream().limit(Question.FIELDS_MAX).map(ShownText::line).toList(),
                        address(method, sent, fields),
                        text(),
                        complete));
    }

    /// The beginning of the body, or nothing when it is not text.
    private String text() {
        return isText ? ShownText.of(decoded(), Question.TEXT_CHARACTERS_MAX) : "";
    }

    /// Whether [#text] is all of the body.
    private boolean isWhole() {
        return isText
                && !isCut
                && isUtf8()
                && ShownText.fits(decoded(), Question.TEXT_CHARACTERS_MAX);
    }

    private String decoded() {
        return new String(beginning.array(), 0, beginning.position(), StandardCharsets.UTF_8)
                .replace("\r\n", "\n");
    }

    private boolean isUtf8() {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(beginning.duplicate().flip());
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    /// SHA-256 of what goes before the body.
    private static String address(String method, String url, Map<String, String> fields) {
        Fingerprint all = new Fingerprint().add(method, url).add(fields.size());
        new TreeMap<>(fields).forEach(all::add);
        return all.hex();
    }
}
