package dev.sallyport.forge;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.forge.RestVerdict.Denied;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// A request about one repository. One that is not granted gets the answer of one that does not
/// exist, before anything else is looked at.
final class RestCase {
    private static final byte[] NOTHING = {};
    private static final String TARGET_PROJECT = "target_project_id";

    private final Policy policy;
    private final RestRequest request;
    private final Facts facts;
    private final RepoName repo;
    private final Dialect dialect;
    private final Map<String, String> detail = new TreeMap<>();

    RestCase(Policy policy, RestRequest request, Facts facts, RepoName repo) {
        this.policy = policy;
        this.request = request;
        this.facts = facts;
        this.repo = repo;
        this.dialect = Dialect.of(policy.forge(repo.host()));
        detail.put("repo", repo.key());
    }

    /// The detail of the verdict names the `operation` if a rule could allow it.
    ///
    /// @param segments below the repository
    RestVerdict judge(List<String> segments) {
        if (!isKnown()) {
            return new Denied(Refusal.REPO_UNAVAILABLE, "Not Found", true, detail);
        }
        Optional<RestRoute.Match> match =
                RestTable.find(dialect.routes(), request.method(), segments);
        if (match.isEmpty()) {
            return denied(
                    Refusal.OPERATION_NOT_ALLOWED,
                    "no sandbox can be allowed this operation of the API");
        }
        RestRoute route = match.get().route();
        detail.put("route", route.toString());
        detail.put("operation", route.operation().label());
        match.get().number().ifPresent(number -> detail.put("number", "" + number));
        try {
            if (dialect.bindsIds() && facts.id(repo).isEmpty()) {
                return new RestVerdict.NeedsId(anyOf(route), detail);
            }
            return route.isForOwnPulls()
                    ? judgeNumber(match.get())
                    : forward(match.get(), permit(route.operation()));
        } catch (ObjectionException e) {
            return Denied.of(e.objection(), detail);
        }
    }

    private boolean isKnown() {
        return !(policy.decide(repo, ApiOperation.REPOSITORY_READ)
                        instanceof Decision.Deny<ApiPermit>(Refusal reason)
                && reason == Refusal.REPO_UNAVAILABLE);
    }

    private Denied denied(Refusal reason, String message) {
        return Denied.of(new Objection(reason, message + "; " + allowed()), detail);
    }

    /// What a client can do instead.
    private String allowed() {
        String labels =
                Arrays.stream(ApiOperation.values())
                        .filter(o -> policy.decide(repo, o) instanceof Decision.Allow<ApiPermit> _)
                        .map(ApiOperation::label)
                        .collect(Collectors.joining(", "));
        return "allowed with " + repo + ": " + (labels.isEmpty() ? "nothing" : labels);
    }

    private ApiPermit permit(ApiOperation operation) throws ObjectionException {
        return switch (policy.decide(repo, operation)) {
            case Decision.Allow<ApiPermit>(ApiPermit permit) -> permit;
            case Decision.Deny<ApiPermit>(Refusal reason) ->
                    throw new ObjectionException(
                            reason, operation.label() + " is not allowed; " + allowed());
        };
    }

    /// A write with a number. Pull requests have their numbers in common with issues, so what it is
    /// depends on what the number stands for: else whoever may write to issues could write to any
    /// pull request.
    private RestVerdict judgeNumber(RestRoute.Match match) throws ObjectionException {
        RestRoute route = match.route();
        long number = match.number().orElseThrow();
        ApiPermit any = anyOf(route);
        Optional<Numbered> known = facts.number(any.repo(), number);
        if (known.isEmpty()) {
            return new RestVerdict.NeedsNumber(any, number, detail);
        }
        return switch (known.get()) {
            case Numbered.Pull(Optional<PullHead> head) -> {
                ApiPermit permit = permit(route.operation());
                Optional<Objection> objection = WriteRules.head(permit, head);
                head.ifPresent(from -> detail.put("head", from.repo() + " " + from.branch()));
                yield objection.isPresent()
                        ? Denied.of(objection.get(), detail)
                        : forward(match, permit);
            }
            case Numbered.Other _ -> {
                if (route.otherwise().isEmpty()) {
                    detail.remove("operation");
                    yield denied(
                            Refusal.OPERATION_NOT_ALLOWED,
                            "this number is no pull request, and nothing else can be changed");
                }
                detail.put("operation", route.otherwise().get().label());
                yield forward(match, permit(route.otherwise().get()));
            }
        };
    }

    /// Either of the two that it can be; whoever has neither learns nothing about the number.
    private ApiPermit anyOf(RestRoute route) throws ObjectionException {
        if (route.otherwise().isPresent()
                && policy.decide(repo, route.otherwise().get())
                        instanceof Decision.Allow<ApiPermit>(ApiPermit permit)) {
            return permit;
        }
        return permit(route.operation());
    }

    private RestVerdict forward(RestRoute.Match match, ApiPermit permit) throws ObjectionException {
        RestRoute route = match.route();
        RestMedia media = RestMedia.of(request.accept(), route.media());
        Map<String, String> fields = new LinkedHashMap<>(dialect.fields(media));
        String query = RestQuery.text(RestQuery.parse(request.query(), route.parameters()));
        byte[] body = NOTHING;
        if (route.body().isPresent()) {
            RestBody.Judged judged = body(route.body().get(), permit);
            Optional<Long> comment = match.comment().or(judged::comment);
            if (comment.isPresent() && !liesIn(match, permit, comment.get())) {
                return new RestVerdict.NeedsComment(permit, comment.get(), detail);
            }
            body = ApiJson.bytes(judged.json());
            fields.put("content-type", "application/json");
        }
        return new RestVerdict.Forward(
                permit,
                request.method(),
                dialect.target(permit.repo(), below(match.path())) + query,
                fields,
                body,
                request.method().equals("HEAD") ? AnswerTreatment.NO_BODY : media.treatment(),
                detail);
    }

    /// Whether the comment that is replied to is known to be of the pull request that was judged:
    /// which one the API takes when they differ, nobody says (G23).
    private boolean liesIn(RestRoute.Match match, ApiPermit permit, long comment)
            throws ObjectionException {
        Optional<Long> pull = facts.commented(permit.repo(), comment);
        if (pull.isPresent() && !pull.equals(match.number())) {
            throw new ObjectionException(
                    Refusal.BAD_REQUEST,
                    "comment " + comment + " is none on a line of this pull request");
        }
        detail.put("in-reply-to", "" + comment);
        return pull.isPresent();
    }

    private RestBody.Judged body(RestBody form, ApiPermit permit) throws ObjectionException {
        boolean none = request.body().length == 0 && form.mayBeMissing();
        RestBody.Judged judged =
                form.judge(permit, none ? ApiJson.empty() : ApiJson.object(request.body()));
        detail.putAll(judged.detail());
        if (form == RestBody.MERGE_REQUEST_OPEN) {
            stayWithin(permit, judged.json());
        }
        return judged;
    }

    /// A merge request can be opened in any project of a network of forks, so it is always said
    /// that it is this one.
    private void stayWithin(ApiPermit permit, ObjectNode json) throws ObjectionException {
        long id = facts.id(permit.repo()).orElseThrow();
        if (json.path(TARGET_PROJECT).asLong(id) != id) {
            throw new ObjectionException(
                    Refusal.REF_NOT_ALLOWED,
                    "a merge request stays within "
                            + permit.repo()
                            + "; leave out target_project_id");
        }
        json.put(TARGET_PROJECT, id);
    }

    private static String below(String path) {
        return path.isEmpty() ? "" : "/" + path;
    }
}
