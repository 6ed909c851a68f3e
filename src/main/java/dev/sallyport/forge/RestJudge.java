package dev.sallyport.forge;

import dev.sallyport.policy.Forge;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
        Optional<byte[]> own =
                request.isRead()
                        ? dialect.own(request.host(), segments, facts.login())
                        : Optional.empty();
        if (own.isPresent()) {
            return new RestVerdict.Answered(STATUS_OK, own.get(), Map.of());
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
}
