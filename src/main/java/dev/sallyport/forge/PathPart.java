package dev.sallyport.forge;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// One part of a path's template in [RestTable]: a word, or `{kind}` for what names something.
/// `{kind...}` takes all that is left of the path.
///
/// @param kind none for a word
record PathPart(String word, @Nullable Kind kind, boolean takesRest) {
    /// What the API has below a branch or a commit. If a server took an escaped slash for a slash,
    /// a branch of such a name would be another operation than the one that was judged.
    private static final Set<String> BELOW_A_REVISION =
            Set.of(
                    "branches-where-head",
                    "check-runs",
                    "check-suites",
                    "comments",
                    "protection",
                    "pulls",
                    "rename",
                    "status",
                    "statuses");

    enum Kind {
        /// Of a pull request, an issue, a run, a job.
        NUMBER,
        /// A branch, tag or commit.
        REVISION,
        /// The whole name of an object.
        OBJECT,
        /// `A...B`, both in this repository: not `OWNER:A`.
        RANGE,
        /// A ref without `refs/`.
        REF,
        TAG,
        /// A number or the name of its file.
        WORKFLOW,
        /// Of a label.
        LABEL,
        /// Of a file or directory.
        FILE;

        private static final Pattern DECIMAL = Pattern.compile("[1-9][0-9]{0,17}");
        private static final Pattern YAML =
                Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,250}\\.ya?ml");
        private static final int LABEL_CHARACTERS_MAX = 100;
        private static final int FILE_CHARACTERS_MAX = 4_096;

        boolean accepts(String text) {
            return switch (this) {
                case NUMBER -> DECIMAL.matcher(text).matches();
                case REVISION -> GitText.isRevision(text);
                case OBJECT -> GitText.isObject(text);
                case RANGE -> isRange(text);
                case REF -> GitText.isRef(text);
                case TAG -> GitText.isTag(text);
                case WORKFLOW -> DECIMAL.matcher(text).matches() || YAML.matcher(text).matches();
                case LABEL -> text.length() <= LABEL_CHARACTERS_MAX && text.indexOf('/') < 0;
                case FILE -> text.length() <= FILE_CHARACTERS_MAX;
            };
        }

        private static boolean isRange(String text) {
            int dots = text.indexOf("...");
            return dots > 0
                    && GitText.isRevision(text.substring(0, dots))
                    && GitText.isRevision(text.substring(dots + 3));
        }
    }

    static PathPart of(String template) {
        if (!template.startsWith("{")) {
            return new PathPart(template, null, false);
        }
        boolean rest = template.endsWith("...}");
        String kind = template.substring(1, template.length() - (rest ? 4 : 1));
        return new PathPart("", Kind.valueOf(kind.toUpperCase(Locale.ROOT)), rest);
    }

    /// What this part takes of a path.
    ///
    /// @param segments those that are left, at least one
    Optional<String> take(List<String> segments) {
        String text = takesRest ? String.join("/", segments) : segments.getFirst();
        boolean fits =
                kind == null
                        ? word.equals(text)
                        : kind.accepts(text) && (takesRest || !isMisleading(text));
        return fits ? Optional.of(text) : Optional.empty();
    }

    private static boolean isMisleading(String text) {
        return Arrays.stream(text.split("/", -1)).skip(1).anyMatch(BELOW_A_REVISION::contains);
    }

    /// As it goes upstream.
    String escaped(String taken) {
        String escaped = RestPath.escaped(taken);
        return takesRest ? escaped.replace("%2F", "/") : escaped;
    }

    Optional<Long> number(String taken) {
        return kind == Kind.NUMBER ? Optional.of(Long.valueOf(taken)) : Optional.empty();
    }
}
