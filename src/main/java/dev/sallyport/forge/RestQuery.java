package dev.sallyport.forge;

import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The query of a REST call: parameters that the table names, each once, with values of the form
/// that it has; written anew.
final class RestQuery {
    private static final int LENGTH_MAX = 4_096;
    private static final int PER_PAGE_MAX = 100;

    /// Possessive, because a loop that can go back takes a piece of the stack for each character.
    private static final Pattern ESCAPES = Pattern.compile("(?:[^%]|%[0-9A-Fa-f]{2})*+");

    /// What each parameter looks like, wherever it stands. None of them is long.
    private static final Map<String, Predicate<String>> FORMS =
            Stream.of(
                            form("[1-9][0-9]{0,5}", "page per_page limit"),
                            form("[A-Za-z0-9_=:+/-]{1,500}", "after before"),
                            form(
                                    "true|false",
                                    "protected exclude_pull_requests license all with_stats "
                                            + "first_parent stats unidiff straight with_counts "
                                            + "with_labels_details include_diverged_commits_count "
                                            + "include_rebase_in_progress access_raw_diffs include_retried "
                                            + "stat verification files pre-release"),
                            form("true|false|[01]", "recursive"),
                            form(
                                    "[a-z_]{1,24}",
                                    "state status scope scope[] issue_type activity_filter"),
                            form("[a-z_+-]{1,24}", "sort"),
                            form("asc|desc", "order direction"),
                            form("latest|all|completed_at", "filter"),
                            form("[a-z_]{1,40}", "event order_by source"),
                            form("[A-Za-z *_-]{1,40}", "type"),
                            form(
                                    "[0-9TZ:.+-]{1,40}",
                                    "since until created_after created_before updated_after "
                                            + "updated_before"),
                            form("[0-9TZ:.+<>=*-]{1,80}", "created"),
                            form("[0-9]{1,18}", "app_id check_suite_id"),
                            form("[0-9]{1,9}|\\*|none", "milestone"),
                            form("[A-Za-z0-9_-]{1,60}(\\[bot\\])?|\\*", "assignee"),
                            form("[A-Za-z0-9_-]{1,60}(\\[bot\\])?", "creator mentioned actor"),
                            form("[A-Za-z0-9_.@+-]{1,100}(\\[bot\\])?", "author committer"),
                            form("[^\\p{Cntrl}]{1,500}", "labels"),
                            form("[^\\p{Cntrl}]{1,250}", "name check_name search stage milestones"),
                            form("[^\\p{Cntrl}]{1,1000}", "path q"),
                            form("true|false|yes|no", "draft"),
                            form("yes|no", "wip"),
                            form("simple", "view"),
                            form("[a-z,]{1,24}", "in"),
                            form("[1-9][0-9]{0,8}", "iids[]"),
                            form(
                                    "[A-Za-z0-9_.-]{1,100}",
                                    "author_username assignee_username reviewer_username username "
                                            + "created_by assigned_by"),
                            form(
                                    GitText::isRevision,
                                    "ref_name from to source_branch target_branch base_branch base "
                                            + "branch ref sha"),
                            form(RestQuery::isHead, "head"),
                            form(GitText::isObject, "head_sha"))
                    .flatMap(form -> form)
                    .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

    private RestQuery() {}

    private static Stream<Map.Entry<String, Predicate<String>>> form(String regex, String names) {
        return form(Pattern.compile(regex).asMatchPredicate(), names);
    }

    private static Stream<Map.Entry<String, Predicate<String>>> form(
            Predicate<String> form, String names) {
        return Stream.of(names.split(" ", -1)).map(name -> Map.entry(name, form));
    }

    /// Only a filter on this repository's pull requests: those of any owner may be asked for.
    private static boolean isHead(String text) {
        int colon = text.indexOf(':');
        return GitText.isRevision(text.substring(colon + 1))
                && (colon < 0 || text.substring(0, colon).matches("[A-Za-z0-9_-]{1,60}"));
    }

    /// Those that a line of the table names.
    static Set<String> parametersIn(Collection<String> words) {
        Set<String> names =
                words.stream()
                        .filter(word -> word.startsWith("?"))
                        .map(word -> word.substring(1))
                        .collect(Collectors.toCollection(TreeSet::new));
        if (names.remove("pages")) {
            names.addAll(Set.of("page", "per_page", "limit", "after", "before"));
        }
        if (!FORMS.keySet().containsAll(names)) {
            throw new IllegalArgumentException("a parameter without a form: " + names);
        }
        return Set.copyOf(names);
    }

    /// What was asked, decoded. One without a value is as good as none.
    ///
    /// @param allowed of the operation
    static Map<String, String> parse(String raw, Set<String> allowed) throws ObjectionException {
        if (raw.length() > LENGTH_MAX || !ESCAPES.matcher(raw).matches()) {
            throw ObjectionException.bad("the query is too long, or has an escape that is none");
        }
        Map<String, String> parameters = new TreeMap<>();
        for (String part : raw.isEmpty() ? new String[0] : raw.split("&", -1)) {
            int equals = part.indexOf('=');
            String name = decoded(equals < 0 ? part : part.substring(0, equals));
            String value = equals < 0 ? "" : decoded(part.substring(equals + 1));
            if (!allowed.contains(name)) {
                throw ObjectionException.bad(
                        "this operation takes no parameter '" + shown(name) + "' here");
            }
            if (!value.isEmpty() && parameters.put(name, judged(name, value)) != null) {
                throw ObjectionException.bad("the parameter '" + name + "' stands there twice");
            }
        }
        return parameters;
    }

    private static String judged(String name, String value) throws ObjectionException {
        if (!FORMS.getOrDefault(name, _ -> false).test(value)) {
            throw ObjectionException.bad(
                    "the value of the parameter '"
                            + name
                            + "' is not accepted here; commits are named in full");
        }
        return name.equals("per_page") || name.equals("limit")
                ? String.valueOf(Math.min(PER_PAGE_MAX, Integer.parseInt(value)))
                : value;
    }

    private static String decoded(String text) throws ObjectionException {
        byte[] bytes =
                URLDecoder.decode(text, StandardCharsets.ISO_8859_1)
                        .getBytes(StandardCharsets.ISO_8859_1);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException _) {
            throw ObjectionException.bad("the escapes of the query are UTF-8");
        }
    }

    /// Names that nobody knows come from the sandbox.
    private static String shown(String name) {
        String plain = name.replaceAll("[^A-Za-z0-9_.-]", "?");
        return plain.substring(0, Math.min(plain.length(), 40));
    }

    /// As it goes upstream, with its question mark; empty when there is nothing.
    static String text(Map<String, String> parameters) {
        return parameters.isEmpty()
                ? ""
                : parameters.entrySet().stream()
                        .map(p -> p.getKey() + "=" + RestPath.escaped(p.getValue()))
                        .collect(Collectors.joining("&", "?", ""));
    }
}
