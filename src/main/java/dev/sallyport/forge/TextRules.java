package dev.sallyport.forge;

import dev.sallyport.config.TrustedFiles;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.LooseForm;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.SecretScan;
import dev.sallyport.push.SecretFinding;
import dev.sallyport.push.SecretScanner;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
        detail.put(name + "-sha256", TrustedFiles.digest(text.getBytes(StandardCharsets.UTF_8)));
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

    /// Texts that make somebody else act (G24). Bots and workflows read texts with rights that no
    /// sandbox has: they merge, deploy, and start other agents. Who answers to which name is known
    /// to nobody but the repository, so there is no list of bots: the only names that a text can
    /// mention are those of the people who may be asked for a review.
    ///
    /// A text is looked at as it was written, and as it is displayed: with character references
    /// resolved, compatible characters replaced, and without characters that nobody sees.
    static final class TextCommands {
        /// At the beginning of a line, after white space and marks of a quotation. Comments of
        /// programming languages (`//`, `/*`) are no commands.
        private static final Pattern LINE =
                Pattern.compile(
                        "(?im)^[ \\t\\p{Zs}>]*+(?:/(?![/*\\n]|$)|!\\w"
                                + "|bors[ \\t,:]++(?:r[-+=]|d[-+=]|p=|try|merge|retry|cancel|delegate)"
                                + "|jenkins[ \\t,:]++(?:please|test|retest|run|build|rebuild)\\b"
                                + "|(?:lgtm|ok to test|(?:re-?)?test this(?: please)?"
                                + "|re-?(?:check|verify|test|run|base))[ \\t.!]*+$)");

        /// What ends a line for one reader or another.
        private static final Pattern LINE_ENDS =
                Pattern.compile("[\\x0B\\f\\r\\x85\\x{2028}\\x{2029}]");

        /// As hosting services see it. After a letter or digit it is an address or a version; an
        /// underscore may be a mark of emphasis, which is gone when mentions are looked for. Some
        /// services have names with dots and underscores, but none that ends with one.
        private static final Pattern MENTION =
                Pattern.compile(
                        "(?<![A-Za-z0-9])@([A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?"
                                + "(?:/[A-Za-z0-9_.-]+)?(?:\\[bot\\])?)");

        private static final Pattern CLOSING =
                Pattern.compile("(?i)\\b(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?)\\b");

        private static final Pattern CLOSING_GITLAB =
                Pattern.compile(
                        "(?i)\\b(?:clos(?:e[sd]?|ing)|fix(?:es|ed|ing)?|resolv(?:e[sd]?|ing)"
                                + "|implement(?:s|ed|ing)?)\\b");

        private static final String NUMBER =
                "(?:#|/(?:-/)?(?:issues|pulls?|merge_requests|work_items)/)[0-9]";

        /// An issue or pull request of a repository that is named.
        private static final Pattern REFERENCE =
                Pattern.compile(
                        "(?<![A-Za-z0-9_.-])((?:[A-Za-z0-9_.-]++/){1,22}[A-Za-z0-9_.-]++)"
                                + NUMBER);

        /// To GitLab a project in the same group has a short name.
        private static final Pattern REFERENCE_GITLAB =
                Pattern.compile(
                        "(?<![A-Za-z0-9_.-])((?:[A-Za-z0-9_.-]++/){0,22}[A-Za-z0-9_.-]++)"
                                + NUMBER);

        /// Between a closing word and what it closes.
        private static final int CLOSING_CHARACTERS_MAX = 200;

        /// HTML takes them without the semicolon, too, and with any number of zeros. Of those with
        /// a name only what stands before an `@` matters then: the name's letters are none of the
        /// text.
        private static final Pattern CHARACTER_REFERENCE =
                Pattern.compile(
                        "(?i)&(?:#0*+([0-9]{1,7});?|#x0*+([0-9a-f]{1,6});?"
                                + "|([a-z][a-z0-9]{1,31})(?:;|(?=@)))");

        private static final int MENTION_CHARACTERS_SHOWN = 40;

        private TextCommands() {}

        static Optional<Objection> objection(ApiPermit permit, String text) {
            String displayed = resolved(text);
            String folded =
                    LooseForm.visible(Normalizer.normalize(displayed, Normalizer.Form.NFKC));
            List<String> readings = Stream.of(text, displayed, folded).distinct().toList();
            return readings.stream()
                    .flatMap(reading -> first(permit, reading).stream())
                    .findFirst();
        }

        private static Optional<Objection> first(ApiPermit permit, String text) {
            if (closesElsewhere(permit, text)) {
                return Optional.of(
                        denied("a text cannot close issues of other repositories; leave that out"));
            }
            if (permit.rules().textCommands()) {
                return Optional.empty();
            }
            if (LINE.matcher(LINE_ENDS.matcher(text).replaceAll("\n")).find()) {
                return Optional.of(
                        denied(
                                "a line of the text begins like a command to a bot"
                                        + " (such as /merge); put another word before it"));
            }
            return mention(permit, text)
                    .map(
                            name ->
                                    denied(
                                            "the text mentions @"
                                                    + name
                                                    + ", and only listed reviewers can be mentioned,"
                                                    + " because bots obey mentions;"
                                                    + " write it without the @"));
        }

        private static Objection denied(String message) {
            return new Objection(Refusal.OPERATION_NOT_ALLOWED, message);
        }

        private static Optional<String> mention(ApiPermit permit, String text) {
            Matcher matcher = MENTION.matcher(text);
            while (matcher.find()) {
                String name = matcher.group(1);
                if (!permit.rules().reviewers().contains(name.toLowerCase(Locale.ROOT))) {
                    return Optional.of(
                            name.substring(0, Math.min(name.length(), MENTION_CHARACTERS_SHOWN)));
                }
            }
            return Optional.empty();
        }

        private static boolean closesElsewhere(ApiPermit permit, String text) {
            boolean gitlab = permit.rules().forge() == Forge.GITLAB;
            Matcher closing = (gitlab ? CLOSING_GITLAB : CLOSING).matcher(text);
            return (gitlab ? REFERENCE_GITLAB : REFERENCE)
                    .matcher(text)
                    .results()
                    .filter(reference -> !isWithin(permit, reference))
                    .anyMatch(
                            reference -> {
                                int from = Math.max(0, reference.start() - CLOSING_CHARACTERS_MAX);
                                return closing.region(from, reference.start()).find();
                            });
        }

        private static boolean isWithin(ApiPermit permit, MatchResult reference) {
            RepoName repo = permit.repo();
            return Stream.of(repo.name(), repo.path(), repo.host() + "/" + repo.path())
                    .anyMatch(reference.group(1)::equalsIgnoreCase);
        }

        /// With the character references of HTML that matter here: `&#64;` is displayed, and read
        /// by hosting services, as an `@`.
        private static String resolved(String text) {
            return CHARACTER_REFERENCE.matcher(text).replaceAll(TextCommands::character);
        }

        private static String character(MatchResult reference) {
            if (reference.group(3) != null) {
                String named =
                        switch (reference.group(3).toLowerCase(Locale.ROOT)) {
                            case "commat" -> "@";
                            case "sol" -> "/";
                            case "newline" -> "\n";
                            case "tab" -> "\t";
                            case "nbsp" -> " ";
                            default -> reference.group().endsWith(";") ? reference.group() : " ";
                        };
                return Matcher.quoteReplacement(named);
            }
            int code =
                    reference.group(1) != null
                            ? Integer.parseInt(reference.group(1))
                            : Integer.parseInt(reference.group(2), 16);
            return Character.isValidCodePoint(code)
                    ? Matcher.quoteReplacement(Character.toString(code))
                    : " ";
        }
    }
}
