package dev.sallyport.forge;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Judges one request to the REST API: its path in one form, the repository, the operation, the
/// query and the body; what goes upstream is written anew. A pure function, safe for use by many
/// threads. A body is scanned for secrets, which is no work for an event loop.
public final class RestJudge {
    private static final Set<String> WITH_BODY = Set.of("POST", "PATCH", "PUT", "DELETE");
    private static final int STATUS_OK = 200;

    /// Whether a request with this method may have a body.
    public static boolean takesBody(String method) {
        return WITH_BODY.contains(method);
    }

    /// What becomes of the request.
    ///
    /// @param facts what is known of the session; not asked for what is not granted
    public RestVerdict judge(Policy policy, RestRequest request, Facts facts) {
        try {
            return dispatch(policy, request, facts);
        } catch (ObjectionException e) {
            return RestVerdict.Denied.of(e.objection(), Map.of());
        }
    }

    private static RestVerdict dispatch(Policy policy, RestRequest request, Facts facts)
            throws ObjectionException {
        if (!takesBody(request.method()) && request.body().length > 0) {
            throw new ObjectionException(
                    Refusal.BAD_REQUEST, "a request with this method has no body here");
        }
        Dialect dialect = Dialect.of(policy.forge(request.host()));
        List<String> segments = path(dialect, request).segments();
        Optional<JsonNode> own =
                request.isRead()
                        ? dialect.own(request.host(), segments, facts.login())
                        : Optional.empty();
        if (own.isPresent()) {
            return new RestVerdict.Answered(STATUS_OK, ApiJson.bytes(own.get()), Map.of());
        }
        if (dialect.forge() == Forge.GITHUB && segments.equals(RestSearch.PATH)) {
            return RestSearch.judge(policy, request);
        }
        Dialect.Aim aim =
                dialect.aim(request.host(), segments)
                        .orElseThrow(
                                () ->
                                        new ObjectionException(
                                                Refusal.OPERATION_NOT_ALLOWED,
                                                "this is not part of the API that sandboxes can"
                                                        + " use, which is that of granted"
                                                        + " repositories: "
                                                        + dialect.form()
                                                        + "; see http://gateway.sallyport/policy"));
        return switch (aim) {
            case Dialect.Aim.Nameless() -> RestVerdict.NOT_FOUND;
            case Dialect.Aim.Named(RepoName repo, List<String> below) ->
                    new RestCase(policy, request, facts, repo).judge(below);
            case Dialect.Aim.Numbered(long id, List<String> below) ->
                    byId(policy, request, facts, id, below);
        };
    }

    private static RestPath path(Dialect dialect, RestRequest request) throws ObjectionException {
        String root = dialect.api(request.host()).restRoot();
        if (!request.path().startsWith(root)) {
            throw new ObjectionException(
                    Refusal.NO_SUCH_ENDPOINT, Refusal.NO_SUCH_ENDPOINT.sentence());
        }
        try {
            return RestPath.parse(request.path().substring(root.length()));
        } catch (MalformedNameException _) {
            throw new ObjectionException(
                    Refusal.NO_SUCH_ENDPOINT,
                    "this path is not written in the one way that is accepted: no empty or dot"
                            + " segments, no slash at its end, %2F only inside a name");
        }
    }

    /// The numeric form. It is judged and sent as the granted name.
    private static RestVerdict byId(
            Policy policy, RestRequest request, Facts facts, long id, List<String> below) {
        Optional<RepoName> repo = facts.repository(id);
        return repo.isPresent()
                ? new RestCase(policy, request, facts, repo.get()).judge(below)
                : new RestVerdict.NeedsRepository(id, Map.of("repository-id", "" + id));
    }

    /// A search among the issues and pull requests of one granted repository. Nothing else can be
    /// searched: code, commits, people and repositories lead everywhere.
    private static final class RestSearch {
        static final List<String> PATH = List.of("search", "issues");

        private static final Set<String> PARAMETERS =
                Set.of("q", "sort", "order", "page", "per_page");

        static RestVerdict judge(Policy policy, RestRequest request) throws ObjectionException {
            if (!request.isRead()) {
                throw new ObjectionException(
                        Refusal.OPERATION_NOT_ALLOWED, "a search is a request with GET");
            }
            Map<String, String> query = new TreeMap<>(RestQuery.parse(request.query(), PARAMETERS));
            SearchText text = SearchText.parse(query.getOrDefault("q", ""));
            RepoName repo;
            try {
                repo = RepoName.of(request.host(), text.owner(), text.name());
            } catch (MalformedNameException _) {
                return RestVerdict.NOT_FOUND;
            }
            Map<String, String> detail =
                    Map.of("repo", repo.key(), "operation", "repository-read", "route", "search");
            return switch (policy.decide(repo, ApiOperation.REPOSITORY_READ)) {
                case Decision.Deny<ApiPermit>(Refusal reason) ->
                        reason == Refusal.REPO_UNAVAILABLE
                                ? new RestVerdict.Denied(reason, "Not Found", true, detail)
                                : new RestVerdict.Denied(
                                        reason,
                                        "reading is not allowed, nor is a search",
                                        false,
                                        detail);
                case Decision.Allow<ApiPermit>(ApiPermit permit) -> {
                    RepoName granted = permit.repo();
                    query.put("q", text.text(granted.owner() + "/" + granted.name()));
                    yield new RestVerdict.Forward(
                            permit,
                            request.method(),
                            ApiHost.of(granted.host()).restRoot()
                                    + "/search/issues"
                                    + RestQuery.text(query),
                            Map.of("accept", RestMedia.JSON.accept()),
                            new byte[0],
                            request.method().equals("HEAD")
                                    ? AnswerTreatment.NO_BODY
                                    : AnswerTreatment.JSON,
                            detail);
                }
            };
        }
    }

    /// What is searched for among issues and pull requests: words, `name:value`, and one
    /// repository. Scopes add up when there are several, and operators and brackets can set one
    /// aside, so only what narrows a search passes, as in queries; the text is written anew with
    /// its repository in front. Every result is checked as well ([AnswerScrubber]), but how many
    /// there are is told by the host.
    ///
    /// @param words all but the repository
    private record SearchText(String owner, String name, List<String> words) {
        private static final int WORDS_MAX = 40;
        private static final Pattern WORD =
                Pattern.compile("\\G\\s*+((?:[^\\s\"]|\"[^\"]*+\")++)(?:\\s++|$)");
        private static final Pattern REPOSITORY =
                Pattern.compile("(?i)repo:\"?([A-Za-z0-9_.-]+)/([A-Za-z0-9_.-]+)\"?");

        static SearchText parse(String text) throws ObjectionException {
            List<String> words = new ArrayList<>();
            Optional<Matcher> repository = Optional.empty();
            for (String word : split(text)) {
                Matcher named = REPOSITORY.matcher(word);
                if (named.matches() && repository.isEmpty()) {
                    repository = Optional.of(named);
                } else {
                    words.add(judged(word));
                }
            }
            if (repository.isEmpty() || words.size() > WORDS_MAX) {
                throw ObjectionException.bad(
                        "a search names one repository, as in repo:OWNER/NAME, and has few words");
            }
            return new SearchText(repository.get().group(1), repository.get().group(2), words);
        }

        private static List<String> split(String text) throws ObjectionException {
            List<String> words = new ArrayList<>();
            Matcher matcher = WORD.matcher(text);
            int end = 0;
            while (matcher.find()) {
                words.add(matcher.group(1));
                end = matcher.end();
            }
            if (!text.substring(end).isBlank()) {
                throw ObjectionException.bad("the quotes of the search are not closed");
            }
            return words;
        }

        private static String judged(String word) throws ObjectionException {
            return dev.sallyport.forge.graphql.SearchText.narrowing(word)
                    .orElseThrow(
                            () ->
                                    ObjectionException.bad(
                                            "a search has words and one repo:OWNER/NAME, but no other"
                                                    + " scope, no operator and no brackets;"
                                                    + " to list pull requests, use gh pr list"));
        }

        /// As it goes upstream.
        ///
        /// @param granted owner and name as they are granted
        String text(String granted) {
            return ("repo:" + granted + " " + String.join(" ", words)).strip();
        }
    }
}
