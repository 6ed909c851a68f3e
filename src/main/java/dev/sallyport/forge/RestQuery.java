package dev.sallyport.forge;

import dev.sallyport.policy.Refusal;
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

/// The query of a REST call: parameters that the table names, each once, with values of the form
/// that it has; written anew.
final class RestQuery {
    private static final int LENGTH_MAX = 4_096;
    private static final int PER_PAGE_MAX = 100;

    /// Possessive, because a loop that can go back takes a piece of the stack for each character.
    private static final Pattern ESCAPES = Pattern.compile("(?:[^%]|%[0-9A-Fa-f]{2})*+");

    /// What each parameter looks like, wherever it stands. None of them is long.
    private static final Map<String, Predicate<String>> FORMS =
            Map.ofEntries(
                    form("page", "[1-9][0-9]{0,5}"),
                    form("per_page", "[1-9][0-9]{0,5}"),
                    form("after", "[A-Za-z0-9_=:+/-]{1,500}"),
                    form("before", "[A-Za-z0-9_=:+/-]{1,500}"),
                    form("protected", "true|false"),
                    form("exclude_pull_requests", "true|false"),
                    form("recursive", "true|false|[01]"),
                    form("state", "[a-z_]{1,24}"),
                    form("status", "[a-z_]{1,24}"),
                    form("sort", "[a-z_+-]{1,24}"),
                    form("order", "asc|desc"),
                    form("direction", "asc|desc"),
                    form("filter", "latest|all|completed_at"),
                    form("event", "[a-z_]{1,40}"),
                    form("type", "[A-Za-z *_-]{1,40}"),
                    form("since", "[0-9TZ:.+-]{1,40}"),
                    form("until", "[0-9TZ:.+-]{1,40}"),
                    form("created", "[0-9TZ:.+<>=*-]{1,80}"),
                    form("app_id", "[0-9]{1,18}"),
                    form("check_suite_id", "[0-9]{1,18}"),
                    form("milestone", "[0-9]{1,9}|\\*|none"),
                    form("assignee", "[A-Za-z0-9_-]{1,60}(\\[bot\\])?|\\*"),
                    form("creator", "[A-Za-z0-9_-]{1,60}(\\[bot\\])?"),
                    form("mentioned", "[A-Za-z0-9_-]{1,60}(\\[bot\\])?"),
                    form("actor", "[A-Za-z0-9_-]{1,60}(\\[bot\\])?"),
                    form("author", "[A-Za-z0-9_.@+-]{1,100}(\\[bot\\])?"),
                    form("committer", "[A-Za-z0-9_.@+-]{1,100}(\\[bot\\])?"),
                    form("labels", "[^\\p{Cntrl}]{1,500}"),
                    form("name", "[^\\p{Cntrl}]{1,250}"),
                    form("check_name", "[^\\p{Cntrl}]{1,250}"),
                    form("path", "[^\\p{Cntrl}]{1,1000}"),
                    form("q", "[^\\p{Cntrl}]{1,1000}"),
                    form("license", "true|false"),
                    form("all", "true|false"),
                    form("with_stats", "true|false"),
                    form("first_parent", "true|false"),
                    form("stats", "true|false"),
                    form("unidiff", "true|false"),
                    form("straight", "true|false"),
                    form("with_counts", "true|false"),
                    form("with_labels_details", "true|false"),
                    form("include_diverged_commits_count", "true|false"),
                    form("include_rebase_in_progress", "true|false"),
                    form("access_raw_diffs", "true|false"),
                    form("include_retried", "true|false"),
                    form("stat", "true|false"),
                    form("verification", "true|false"),
                    form("files", "true|false"),
                    form("draft", "true|false|yes|no"),
                    form("pre-release", "true|false"),
                    form("wip", "yes|no"),
                    form("view", "simple"),
                    form("scope", "[a-z_]{1,24}"),
                    form("scope[]", "[a-z_]{1,24}"),
                    form("order_by", "[a-z_]{1,40}"),
                    form("in", "[a-z,]{1,24}"),
                    form("issue_type", "[a-z_]{1,24}"),
                    form("activity_filter", "[a-z_]{1,24}"),
                    form("source", "[a-z_]{1,40}"),
                    form("iids[]", "[1-9][0-9]{0,8}"),
                    form("created_after", "[0-9TZ:.+-]{1,40}"),
                    form("created_before", "[0-9TZ:.+-]{1,40}"),
                    form("updated_after", "[0-9TZ:.+-]{1,40}"),
                    form("updated_before", "[0-9TZ:.+-]{1,40}"),
                    form("limit", "[1-9][0-9]{0,5}"),
                    form("author_username", "[A-Za-z0-9_.-]{1,100}"),
                    form("assignee_username", "[A-Za-z0-9_.-]{1,100}"),
                    form("reviewer_username", "[A-Za-z0-9_.-]{1,100}"),
                    form("username", "[A-Za-z0-9_.-]{1,100}"),
                    form("created_by", "[A-Za-z0-9_.-]{1,100}"),
                    form("assigned_by", "[A-Za-z0-9_.-]{1,100}"),
                    form("search", "[^\\p{Cntrl}]{1,250}"),
                    form("stage", "[^\\p{Cntrl}]{1,250}"),
                    form("milestones", "[^\\p{Cntrl}]{1,250}"),
                    Map.entry("ref_name", GitText::isRevision),
                    Map.entry("from", GitText::isRevision),
                    Map.entry("to", GitText::isRevision),
                    Map.entry("source_branch", GitText::isRevision),
                    Map.entry("target_branch", GitText::isRevision),
                    Map.entry("base_branch", GitText::isRevision),
                    Map.entry("head", RestQuery::isHead),
                    Map.entry("head_sha", GitText::isObject),
                    Map.entry("base", GitText::isRevision),
                    Map.entry("branch", GitText::isRevision),
                    Map.entry("ref", GitText::isRevision),
                    Map.entry("sha", GitText::isRevision));

    private RestQuery() {}

    private static Map.Entry<String, Predicate<String>> form(String name, String regex) {
        return Map.entry(name, Pattern.compile(regex).asMatchPredicate());
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
            throw bad("the query is too long, or has an escape that is none");
        }
        Map<String, String> parameters = new TreeMap<>();
        for (String part : raw.isEmpty() ? new String[0] : raw.split("&", -1)) {
            int equals = part.indexOf('=');
            String name = decoded(equals < 0 ? part : part.substring(0, equals));
            String value = equals < 0 ? "" : decoded(part.substring(equals + 1));
            if (!allowed.contains(name)) {
                throw bad("this operation takes no parameter '" + shown(name) + "' here");
            }
            if (!value.isEmpty() && parameters.put(name, judged(name, value)) != null) {
                throw bad("the parameter '" + name + "' stands there twice");
            }
        }
        return parameters;
    }

    private static String judged(String name, String value) throws ObjectionException {
        if (!FORMS.getOrDefault(name, _ -> false).test(value)) {
            throw bad(
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
            throw bad("the escapes of the query are UTF-8");
        }
    }

    /// Names that nobody knows come from the sandbox.
    private static String shown(String name) {
        String plain = name.replaceAll("[^A-Za-z0-9_.-]", "?");
        return plain.substring(0, Math.min(plain.length(), 40));
    }

    private static ObjectionException bad(String message) {
        return new ObjectionException(Refusal.BAD_REQUEST, message);
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
