package dev.sallyport.forge;

import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SecretScan;
import dev.sallyport.push.SecretFinding;
import dev.sallyport.push.SecretScanner;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The one rule about texts that go to a hosting service, in titles, descriptions and comments,
/// whichever wire they come on: bounded, without what looks like a credential, and without commands
/// to bots and workflows (G24, [TextCommands]).
public final class TextRules {
    private static final int TITLE_CHARACTERS_MAX = 256;
    private static final int BODY_CHARACTERS_MAX = 65_536;

    private TextRules() {}

    /// What stands against a title.
    public static Optional<Objection> title(ApiPermit permit, String text) {
        boolean oneLine =
                text.codePoints()
                        .noneMatch(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029);
        if (text.isBlank() || text.length() > TITLE_CHARACTERS_MAX || !oneLine) {
            return Optional.of(
                    new Objection(
                            Refusal.BAD_REQUEST,
                            "a title is one line of 1 to " + TITLE_CHARACTERS_MAX + " characters"));
        }
        return content(permit, text);
    }

    /// What stands against a description or a comment.
    public static Optional<Objection> body(ApiPermit permit, String text) {
        boolean plain =
                text.codePoints()
                        .noneMatch(c -> Character.isISOControl(c) && "\n\r\t".indexOf(c) < 0);
        if (text.length() > BODY_CHARACTERS_MAX || !plain) {
            return Optional.of(
                    new Objection(
                            Refusal.BAD_REQUEST,
                            "a text has at most "
                                    + BODY_CHARACTERS_MAX
                                    + " characters, and no control characters"));
        }
        return content(permit, text);
    }

    private static Optional<Objection> content(ApiPermit permit, String text) {
        if (text.codePoints().anyMatch(c -> Character.getType(c) == Character.SURROGATE)) {
            return Optional.of(new Objection(Refusal.BAD_REQUEST, "a text has half a character"));
        }
        if (permit.secrets() == SecretScan.DENY) {
            List<SecretFinding> found = secrets(text);
            if (!found.isEmpty()) {
                return Optional.of(secret(found.getFirst()));
            }
        }
        return TextCommands.objection(permit, text);
    }

    private static Objection secret(SecretFinding found) {
        return new Objection(
                Refusal.SECRET_FOUND,
                "line "
                        + found.line()
                        + " of the text has what looks like a credential ("
                        + found.rule()
                        + "); remove it");
    }

    private static List<SecretFinding> secrets(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try {
            return SecretScanner.standard().find(new ByteArrayInputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException("bytes in memory cannot fail", e);
        }
    }

    /// What is recorded of a text that goes up: its digest and length, and what it was let pass
    /// with a warning for.
    ///
    /// @param name what the text is, such as `title`
    public static Map<String, String> record(ApiPermit permit, String name, String text) {
        Map<String, String> detail = new TreeMap<>();
        detail.put(name + "-sha256", digest(text));
        detail.put(name + "-characters", String.valueOf(text.length()));
        if (permit.secrets() == SecretScan.WARN) {
            String found =
                    secrets(text).stream()
                            .map(SecretFinding::rule)
                            .distinct()
                            .collect(Collectors.joining(" "));
            if (!found.isEmpty()) {
                detail.put(name + "-secrets", found);
            }
        }
        return detail;
    }

    private static String digest(String text) {
        try {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
