package dev.sallyport.audit;

import java.util.List;
import java.util.regex.Pattern;

/// Takes out of a text whatever looks like a credential, because a sandbox may put one where nobody
/// expects it: into a path, a ref, a user name.
///
/// The patterns match a prefix of a token too, since a long value may have been cut in its middle.
/// A false alarm costs a readable log line; a miss costs a credential.
public final class Redaction {
    private static final String MARK = "[redacted]";

    private record Rule(Pattern pattern, String replacement) {}

    private static final List<Rule> RULES =
            List.of(
                    whole("gh[pousr]_[A-Za-z0-9]{4,}"),
                    whole("github_pat_[A-Za-z0-9_]{4,}"),
                    whole("gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_.-]{4,}"),
                    whole("(?<![A-Za-z0-9])[spr]k[-_][A-Za-z0-9_-]{8,}"),
                    whole("(?<![A-Z0-9])(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA|ABIA|ACCA)[A-Z0-9]{8,}"),
                    whole("AIza[A-Za-z0-9_-]{8,}"),
                    whole("ya29\\.[A-Za-z0-9_-]{4,}"),
                    whole("xox[a-z]-[A-Za-z0-9-]{4,}"),
                    whole("(?:npm_|pypi-|hf_|dop_v1_)[A-Za-z0-9_-]{16,}"),
                    whole("eyJ[A-Za-z0-9_-]{4,}\\.[A-Za-z0-9_-]*(?:\\.[A-Za-z0-9_-]*)?"),
                    whole("-----BEGIN [A-Z ]*PRIVATE KEY-----.*"),
                    new Rule(
                            Pattern.compile("(?i)\\b(bearer|basic)(\\s+|%20|\\+)[^\\s,;\"']{4,}"),
                            "$1 " + MARK),
                    new Rule(Pattern.compile("://[^/?#\\s]*@"), "://" + MARK + "@"),
                    new Rule(
                            Pattern.compile(
                                    "(?i)((?:token|password|passwd|secret|api[-_]?key|signature|credential)s?)=[^&\\s]+"),
                            "$1=" + MARK));

    private Redaction() {}

    public static String redact(String text) {
        String clean = text;
        for (Rule rule : RULES) {
            clean = rule.pattern().matcher(clean).replaceAll(rule.replacement());
        }
        return clean;
    }

    private static Rule whole(String regex) {
        return new Rule(Pattern.compile(regex, Pattern.DOTALL), MARK);
    }
}
