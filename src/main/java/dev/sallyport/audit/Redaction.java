package dev.sallyport.audit;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Takes out of a text whatever looks like a credential, because a sandbox may put one where nobody
/// expects it: into a path, a ref, a user name.
///
/// The patterns match a prefix of a token too, since a long value may have been cut in its middle.
/// A false alarm costs a readable log line; a miss costs a credential.
public final class Redaction {
    /// Stands for what was taken out.
    public static final String MARK = "[redacted]";

    /// What must occur in a text before a pattern can match it. Nearly every text is let go by a
    /// look at which characters it has; patterns would cost more than the rest of its line.
    private record Hint(String text, Letters letters) {
        static Hint of(String text) {
            return new Hint(text, Letters.of(text));
        }
    }

    /// The ASCII characters of a text, one bit each.
    private record Letters(long low, long high) {
        static Letters of(String text) {
            long low = 0;
            long high = 0;
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c < 64) {
                    low |= 1L << c;
                } else if (c < 128) {
                    high |= 1L << (c - 64);
                }
            }
            return new Letters(low, high);
        }

        boolean contain(Letters other) {
            return (other.low & ~low) == 0 && (other.high & ~high) == 0;
        }
    }

    private record Rule(Pattern pattern, String replacement, List<Hint> hints) {
        static Rule of(String regex, String replacement, String... hints) {
            return new Rule(
                    Pattern.compile(regex, Pattern.DOTALL),
                    replacement,
                    Stream.of(hints).map(Hint::of).toList());
        }

        /// Without a regular expression.
        boolean mayMatch(String text, Letters letters) {
            for (int i = 0; i < hints.size(); i++) {
                Hint hint = hints.get(i);
                if (letters.contain(hint.letters()) && text.contains(hint.text())) {
                    return true;
                }
            }
            return false;
        }
    }

    private static final List<Rule> RULES =
            List.of(
                    whole("gh[pousr]_[A-Za-z0-9_.-]{4,}", "gh"),
                    whole("github_pat_[A-Za-z0-9_]{4,}", "github_pat_"),
                    whole("gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_.-]{4,}", "gl"),
                    whole("(?<![A-Za-z0-9])[spr]k[-_][A-Za-z0-9_-]{8,}", "k-", "k_"),
                    whole(
                            "(?<![A-Z0-9])(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA|ABIA|ACCA)[A-Z0-9]{8,}",
                            "A"),
                    whole("AIza[A-Za-z0-9_-]{8,}", "AIza"),
                    whole("ya29\\.[A-Za-z0-9_-]{4,}", "ya29."),
                    whole("xox[a-z]-[A-Za-z0-9-]{4,}", "xox"),
                    whole(
                            "(?:npm_|pypi-|hf_|dop_v1_)[A-Za-z0-9_-]{16,}",
                            "npm_",
                            "pypi-",
                            "hf_",
                            "dop_v1_"),
                    whole("eyJ[A-Za-z0-9_-]{4,}\\.[A-Za-z0-9_-]*(?:\\.[A-Za-z0-9_-]*)?", "eyJ"),
                    whole("-----BEGIN [A-Z ]*PRIVATE KEY-----.*", "-----BEGIN "),
                    Rule.of(
                            "(?i)\\b(bearer|basic)(\\s+|%20|\\+)[^\\s,;\"']{4,}",
                            "$1 " + MARK, "%20", "+", " ", "\t", "\n", "\u000b", "\f", "\r"),
                    Rule.of("://[^/?#\\s]*@", "://" + MARK + "@", "://"),
                    Rule.of(
                            "(?i)((?:token|password|passwd|secret|api[-_]?key|signature|credential)s?)=[^&\\s]+",
                            "$1=" + MARK,
                            "="));

    private Redaction() {}

    public static String redact(String text) {
        String clean = text;
        Letters letters = Letters.of(text);
        for (int i = 0; i < RULES.size(); i++) {
            Rule rule = RULES.get(i);
            if (rule.mayMatch(clean, letters)) {
                clean = rule.pattern().matcher(clean).replaceAll(rule.replacement());
                letters = Letters.of(clean);
            }
        }
        return clean;
    }

    private static Rule whole(String regex, String... hints) {
        return Rule.of(regex, MARK, hints);
    }
}
