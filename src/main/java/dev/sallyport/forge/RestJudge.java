package dev.sallyport.forge;

import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Judges one request to the REST API: its path in one form, the repository, the operation, the
/// query and the body; what goes upstream is written anew. A pure function, safe for use by many
/// threads. A body is scanned for secrets, which is no work for an event loop.
public final class RestJudge {
    private static final Set<String> WITH_BODY = Set.of("POST", "PATCH", "PUT", "DELETE");
    private static final Pattern ID = Pattern.compile("[1-9][0-9]{0,17}");
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
        List<String> segments = path(request).segments();
        Optional<byte[]> own =
                request.isRead()
                        ? OwnAnswers.to(request.host(), segments, facts.login())
                        : Optional.empty();
        if (own.isPresent()) {
            return new RestVerdict.Answered(STATUS_OK, own.get(), Map.of());
        }
        if (segments.equals(RestSearch.PATH)) {
            return RestSearch.judge(policy, request);
        }
        String first = segments.isEmpty() ? "" : segments.getFirst();
        if (first.equals("repos") && segments.size() >= 3) {
            return byName(request, segments.get(1), segments.get(2))
                    .map(repo -> new RestCase(policy, request, facts, repo))
                    .map(found -> found.judge(segments.subList(3, segments.size())))
                    .orElse(RestVerdict.NOT_FOUND);
        }
        if (first.equals("repositories") && segments.size() >= 2) {
            return byId(policy, request, facts, segments);
        }
        throw new ObjectionException(
                Refusal.OPERATION_NOT_ALLOWED,
                "this is not part of the API that sandboxes can use, which is that of granted"
                        + " repositories: /repos/OWNER/NAME/…;"
                        + " see http://gateway.sallyport/policy");
    }

    private static RestPath path(RestRequest request) throws ObjectionException {
        String root = ApiHost.of(request.host()).restRoot();
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

    private static Optional<RepoName> byName(RestRequest request, String owner, String name) {
        try {
            return Optional.of(RepoName.of(request.host(), owner, name));
        } catch (MalformedNameException _) {
            return Optional.empty();
        }
    }

    /// The numeric form, which pages of lists lead to. It is judged and sent as the granted name.
    private static RestVerdict byId(
            Policy policy, RestRequest request, Facts facts, List<String> segments) {
        if (!ID.matcher(segments.get(1)).matches()) {
            return RestVerdict.NOT_FOUND;
        }
        long id = Long.parseLong(segments.get(1));
        Optional<RepoName> repo = facts.repository(id);
        return repo.isPresent()
                ? new RestCase(policy, request, facts, repo.get())
                        .judge(segments.subList(2, segments.size()))
                : new RestVerdict.NeedsRepository(id, Map.of("repository-id", "" + id));
    }
}
