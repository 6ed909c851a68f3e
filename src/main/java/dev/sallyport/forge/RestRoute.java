package dev.sallyport.forge;

import dev.sallyport.policy.ApiOperation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// One operation of the REST API that can be allowed: one line of [RestTable].
///
/// @param template as the table has it: `R` stands for the repository
/// @param operation what it is; with a number that may be a pull request's or an issue's, what it
///   is for a pull request
/// @param otherwise what it is when the number is no pull request's, if that can be allowed
/// @param isForOwnPulls whether it changes a pull request, whose head must be this session's
/// @param media what can be asked for; the first one is what is meant by default
/// @param parameters of the query
record RestRoute(
        String method,
        String template,
        List<PathPart> parts,
        ApiOperation operation,
        Optional<ApiOperation> otherwise,
        boolean isForOwnPulls,
        Set<RestMedia> media,
        Optional<RestBody> body,
        Set<String> parameters) {
    /// A path that fits.
    ///
    /// @param path below the repository, as it goes upstream
    /// @param number the first one in it
    /// @param comment the one that is replied to
    record Match(RestRoute route, String path, Optional<Long> number, Optional<Long> comment) {}

    /// @param line method, path and operation, then in any order `own`, kinds of media,
    ///   `body=KIND`, and names of parameters, each after a question mark
    static RestRoute of(String line) {
        String[] words = line.strip().split("\\s+");
        List<String> rest = Arrays.asList(words).subList(3, words.length);
        String[] operations = words[2].split("\\|");
        return new RestRoute(
                words[0],
                words[1],
                Arrays.stream(words[1].split("/")).skip(1).map(PathPart::of).toList(),
                operation(operations[0]),
                Arrays.stream(operations).skip(1).map(RestRoute::operation).findFirst(),
                rest.contains("own"),
                RestMedia.in(rest),
                rest.stream().filter(w -> w.startsWith("body=")).map(RestBody::of).findFirst(),
                RestQuery.parametersIn(rest));
    }

    private static ApiOperation operation(String label) {
        return ApiOperation.valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /// @param segments below the repository
    Optional<Match> match(String asked, List<String> segments) {
        if (!method.equals(asked) || segments.size() < parts.size()) {
            return Optional.empty();
        }
        List<String> path = new ArrayList<>();
        Optional<Long> number = Optional.empty();
        Optional<Long> comment = Optional.empty();
        int at = 0;
        for (PathPart part : parts) {
            Optional<String> taken = part.take(segments.subList(at, segments.size()));
            if (taken.isEmpty()) {
                return Optional.empty();
            }
            path.add(part.escaped(taken.get()));
            at = part.takesRest() ? segments.size() : at + 1;
            number = number.isPresent() ? number : part.number(PathPart.Kind.NUMBER, taken.get());
            comment =
                    comment.isPresent() ? comment : part.number(PathPart.Kind.COMMENT, taken.get());
        }
        return at == segments.size()
                ? Optional.of(new Match(this, String.join("/", path), number, comment))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return method + " " + template;
    }

    /// One part of a path's template in [RestTable]: a word, or `{kind}` for what names something.
    /// `{kind...}` takes all that is left of the path.
    ///
    /// @param kind none for a word
    record PathPart(String word, @Nullable Kind kind, boolean takesRest) {
        /// What the API has below a branch or a commit. If a server took an escaped slash for a
        /// slash, a branch of such a name would be another operation than the one that was judged.
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
            /// Of a comment on a line of a pull request, which is replied to.
            COMMENT,
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
            FILE,
            /// A branch, tag or commit with the ending of an archive.
            ARCHIVE,
            /// The number of a pull request, as text.
            PULL_DIFF,
            /// The whole name of a commit, as text.
            COMMIT_DIFF;

            private static final Pattern DECIMAL = Pattern.compile("[1-9][0-9]{0,17}");
            private static final Pattern YAML =
                    Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,250}\\.ya?ml");
            private static final Set<String> ARCHIVES = Set.of(".tar.gz", ".zip");
            private static final Set<String> DIFFS = Set.of(".diff", ".patch");
            private static final int LABEL_CHARACTERS_MAX = 100;
            private static final int FILE_CHARACTERS_MAX = 4_096;

            boolean accepts(String text) {
                return switch (this) {
                    case NUMBER, COMMENT -> DECIMAL.matcher(text).matches();
                    case REVISION -> GitText.isRevision(text);
                    case OBJECT -> GitText.isObject(text);
                    case RANGE -> isRange(text);
                    case REF -> GitText.isRef(text);
                    case TAG -> GitText.isTag(text);
                    case WORKFLOW ->
                            DECIMAL.matcher(text).matches() || YAML.matcher(text).matches();
                    case LABEL -> text.length() <= LABEL_CHARACTERS_MAX && text.indexOf('/') < 0;
                    case FILE -> text.length() <= FILE_CHARACTERS_MAX;
                    case ARCHIVE -> isBefore(ARCHIVES, text, GitText::isRevision);
                    case PULL_DIFF -> isBefore(DIFFS, text, DECIMAL.asMatchPredicate());
                    case COMMIT_DIFF -> isBefore(DIFFS, text, GitText::isObject);
                };
            }

            private static boolean isBefore(
                    Set<String> endings, String text, Predicate<String> name) {
                return endings.stream()
                        .filter(text::endsWith)
                        .anyMatch(e -> name.test(text.substring(0, text.length() - e.length())));
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
            String name = kind.toUpperCase(Locale.ROOT).replace('-', '_');
            return new PathPart("", Kind.valueOf(name), rest);
        }

        /// What this part takes of a path.
        ///
        /// @param segments those that are left, at least one
        Optional<String> take(List<String> segments) {
            String text = takesRest ? String.join("/", segments) : segments.getFirst();
            boolean fits =
                    kind == null
                            ? word.equals(text)
                            : kind.accepts(text) && (takesWhole() || !isMisleading(text));
            return fits ? Optional.of(text) : Optional.empty();
        }

        /// A file may have any name; nothing but reads is below one.
        private boolean takesWhole() {
            return takesRest || kind == Kind.FILE;
        }

        private static boolean isMisleading(String text) {
            return Arrays.stream(text.split("/", -1)).skip(1).anyMatch(BELOW_A_REVISION::contains);
        }

        /// As it goes upstream.
        String escaped(String taken) {
            String escaped = RestPath.escaped(taken);
            return takesRest ? escaped.replace("%2F", "/") : escaped;
        }

        /// The value, if this part is of that kind.
        Optional<Long> number(Kind wanted, String taken) {
            return kind == wanted ? Optional.of(Long.valueOf(taken)) : Optional.empty();
        }
    }
}
