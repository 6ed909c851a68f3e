package dev.sallyport.forge.graphql;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// What `search` looks for, built anew from words that are understood. Old and new search engines
/// read scopes, `OR` and brackets differently (G22), so a text that merely contains `repo:granted`
/// proves nothing: here the scope is ours, and everything else only narrows it.
///
/// @param repositories the granted ones that the client named
/// @param foreign the others that it named
/// @param text for upstream; makes sense only if a repository is left
public record SearchText(List<RepositoryView> repositories, List<String> foreign, String text) {
    private static final int TEXT_MAX_CHARS = 1_000;

    /// Those that narrow a search within a repository. `org`, `user`, `project`, `team` and what
    /// else may widen it are not here.
    private static final Set<String> NARROWING =
            Set.of(
                    "archived",
                    "assignee",
                    "author",
                    "base",
                    "closed",
                    "commenter",
                    "comments",
                    "created",
                    "draft",
                    "head",
                    "in",
                    "interactions",
                    "involves",
                    "is",
                    "label",
                    "linked",
                    "mentions",
                    "merged",
                    "milestone",
                    "no",
                    "reactions",
                    "reason",
                    "review",
                    "review-requested",
                    "reviewed-by",
                    "sort",
                    "state",
                    "status",
                    "type",
                    "updated",
                    "user-review-requested");

    private static final Set<String> OPERATORS = Set.of("or", "and", "not");

    /// What means the same with and without quotes.
    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}_#][\\p{L}\\p{N}_.#/-]*");

    /// Without anything that an engine might take for a blank.
    private static final Pattern VALUE =
            Pattern.compile("[\\p{L}\\p{N}@*<>=.,/_:+#\\[\\]-]+|\"[^\"]*\"");

    /// A colon in quotes begins no second name, and in a time neither.
    private static final Pattern SINGLE = Pattern.compile("[^:]*|\".*|[0-9TZ:.+<>=*-]+");

    static SearchText parse(String query, Rights rights) throws RefusedQueryException {
        if (query.length() > TEXT_MAX_CHARS || query.contains("\\")) {
            throw refused("at most %d characters, no backslash".formatted(TEXT_MAX_CHARS));
        }
        Set<String> names = new LinkedHashSet<>();
        List<String> words = new ArrayList<>();
        for (String token : tokens(query)) {
            Optional<String> repository = repository(token);
            repository.ifPresentOrElse(names::add, () -> words.add(token));
        }
        if (names.isEmpty()) {
            throw refused("it must name a repository, as repo:OWNER/NAME");
        }
        return of(names, words, rights);
    }

    private static SearchText of(Set<String> names, List<String> words, Rights rights)
            throws RefusedQueryException {
        Set<RepositoryView> granted = new LinkedHashSet<>();
        List<String> foreign = new ArrayList<>();
        for (String name : names) {
            String[] parts = name.split("/", -1);
            Optional<RepositoryView> found =
                    parts.length == 2 ? rights.repository(parts[0], parts[1]) : Optional.empty();
            found.ifPresentOrElse(granted::add, () -> foreign.add(name));
        }
        List<String> text = new ArrayList<>();
        granted.forEach(view -> text.add("repo:" + view.nameWithOwner()));
        for (String word : words) {
            text.add(written(word));
        }
        return new SearchText(List.copyOf(granted), foreign, String.join(" ", text));
    }

    /// Cut at blanks that are not in quotes.
    private static List<String> tokens(String query) throws RefusedQueryException {
        List<String> tokens = new ArrayList<>();
        StringBuilder token = new StringBuilder();
        boolean quoted = false;
        for (char c : (query + " ").toCharArray()) {
            quoted ^= c == '"';
            if (!quoted && Character.isWhitespace(c)) {
                if (!token.isEmpty()) {
                    tokens.add(token.toString());
                    token.setLength(0);
                }
            } else {
                token.append(c);
            }
        }
        if (quoted) {
            throw refused("a quote is not closed");
        }
        return tokens;
    }

    private static Optional<String> repository(String token) {
        String prefix = "repo:";
        return token.regionMatches(true, 0, prefix, 0, prefix.length())
                ? Optional.of(token.substring(prefix.length()).replace("\"", ""))
                : Optional.empty();
    }

    /// One word of a search that only narrows it, as it goes upstream. The one rule, for REST and
    /// for queries.
    ///
    /// @param token without a blank outside of quotes, which are closed
    /// @return empty for what might widen the search
    public static Optional<String> narrowing(String token) {
        try {
            return token.contains("\\") ? Optional.empty() : Optional.of(written(token));
        } catch (RefusedQueryException _) {
            return Optional.empty();
        }
    }

    private static String written(String token) throws RefusedQueryException {
        String sign = token.startsWith("-") ? "-" : "";
        String rest = token.substring(sign.length());
        int colon = rest.startsWith("\"") ? -1 : rest.indexOf(':');
        if (colon >= 0) {
            return sign + qualified(rest.substring(0, colon), rest.substring(colon + 1));
        }
        boolean operator = OPERATORS.contains(rest.toLowerCase(Locale.ROOT));
        if (operator && rest.equals(rest.toUpperCase(Locale.ROOT))) {
            throw refused(rest + " is not available; put it in quotes to look for the word");
        }
        if (!operator && WORD.matcher(rest).matches()) {
            return sign + rest;
        }
        String bare = rest.replace("\"", "");
        if (bare.isBlank() || bare.contains("(") || bare.contains(")")) {
            throw refused("brackets are not available");
        }
        return sign + '"' + bare + '"';
    }

    private static String qualified(String name, String value) throws RefusedQueryException {
        String known = name.toLowerCase(Locale.ROOT);
        if (!NARROWING.contains(known)) {
            throw refused("%s: is not available".formatted(name));
        }
        if (!VALUE.matcher(value).matches()) {
            throw refused("%s: has a value of no known form".formatted(known));
        }
        return known + ":" + (SINGLE.matcher(value).matches() ? value : '"' + value + '"');
    }

    private static RefusedQueryException refused(String why) {
        return RefusedQueryException.notAllowed("this search is not available here: " + why);
    }
}
