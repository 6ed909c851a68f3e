package dev.sallyport.forge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sallyport.forge.graphql.Placed;
import dev.sallyport.forge.graphql.PlacingQuestion;
import dev.sallyport.forge.graphql.RefusedAnswerException;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.RepoName;
import dev.sallyport.upstream.ApiOrder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// A question of the gateway's own, without which a request cannot be judged. It is made of names
/// that were judged, and what comes of it stays here.
///
/// @param key the same for the same question, which is asked once for a request
/// @param kind for the record
/// @param reading of the answer
@SuppressWarnings("ArrayRecordComponent") // Nobody compares questions.
record Question(String key, String kind, ApiOrder order, byte[] body, Reading reading) {
    /// Takes down what the answer says.
    interface Reading {
        /// Whether it says anything.
        boolean read(int status, byte[] answer);
    }

    private static final JsonMapper JSON = new JsonMapper();
    private static final Pattern LOGIN =
            Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}(\\[bot])?");
    private static final Map<String, String> QUERY =
            Map.of("accept", "application/json", "content-type", "application/json");

    /// What a number stands for.
    static Question number(
            ApiSite site, Policy policy, Known known, ApiPermit permit, long number) {
        RepoName repo = permit.repo();
        return rest(
                "number " + repo + " " + number,
                "number",
                permit,
                site.dialect().target(repo, site.dialect().pull(number)),
                orMissing(
                        () -> known.found(repo, number, new Numbered.Other()),
                        answer ->
                                learn(policy, known, permit, answer)
                                        && known.numbered(repo, number).isPresent()));
    }

    /// Which pull request a comment on a line is of.
    static Question comment(
            ApiSite site, Policy policy, Known known, ApiPermit permit, long comment) {
        RepoName repo = permit.repo();
        return rest(
                "comment " + repo + " " + comment,
                "comment",
                permit,
                site.dialect().target(repo, "/pulls/comments/" + comment),
                orMissing(
                        () -> known.commented(repo, comment, 0),
                        answer ->
                                learn(policy, known, permit, answer)
                                        && known.commented(repo, comment).isPresent()));
    }

    /// That there is nothing of this number is an answer, too.
    private static Reading orMissing(Runnable missing, Predicate<byte[]> found) {
        return (status, answer) -> {
            if (status == 404) {
                missing.run();
            }
            return status == 404 || (status == 200 && found.test(answer));
        };
    }

    /// The number of a repository.
    static Question repository(ApiSite site, Policy policy, Known known, ApiPermit permit) {
        RepoName repo = permit.repo();
        return rest(
                "repository " + repo,
                "repository",
                permit,
                site.dialect().target(repo, ""),
                // That there is none of this name is not the matter of whoever asked about an id.
                (status, answer) -> {
                    boolean _ = status == 200 && learn(policy, known, permit, answer);
                    return true;
                });
    }

    private static Question rest(
            String key, String kind, ApiPermit permit, String target, Reading reading) {
        Map<String, String> fields = Dialect.of(permit.rules().forge()).fields(RestMedia.JSON);
        ApiOrder order = new ApiOrder(permit, "GET", target, fields, new BodyFraming.None());
        return new Question(key, kind, order, new byte[0], reading);
    }

    /// How the answers of a hosting service are read for a session.
    static AnswerForm form(Policy policy, Known known, ApiPermit permit) {
        return Dialect.of(permit.rules().forge())
                .form(new AnswerForm.Ground(permit.repo(), readable(policy), known::repository));
    }

    private static boolean learn(Policy policy, Known known, ApiPermit permit, byte[] answer) {
        Known.Lesson lesson = known.lesson();
        return new AnswerScrubber(form(policy, known, permit), lesson).scrub(answer)
                        instanceof AnswerScrubber.Scrubbed.Clean
                && !lesson.contradicts();
    }

    /// Whether anything of a repository may be read.
    static Predicate<RepoName> readable(Policy policy) {
        return repo ->
                Set.of(
                                ApiOperation.REPOSITORY_READ,
                                ApiOperation.PULL_READ,
                                ApiOperation.ISSUE_READ)
                        .stream()
                        .anyMatch(
                                operation ->
                                        policy.decide(repo, operation)
                                                instanceof Decision.Allow<ApiPermit>);
    }

    /// Where node ids lie.
    static Question places(
            ApiSite site, ApiPermit permit, Set<String> ids, SessionView view, Known known) {
        return query(
                "places " + new TreeSet<>(ids),
                "ids",
                site,
                permit,
                PlacingQuestion.body(ids),
                (status, answer) -> {
                    try {
                        Map<String, Placed> places = PlacingQuestion.read(answer, ids, view);
                        places.forEach(known::place);
                        return status == 200;
                    } catch (RefusedAnswerException _) {
                        return false;
                    }
                });
    }

    /// Whose the credential is. Whatever is no name makes the session nobody.
    static Question viewer(ApiSite site, ApiPermit permit, Known known) {
        Optional<String> member = site.dialect().loginMember();
        List<String> path = member.map(List::of).orElse(List.of("data", "viewer", "login"));
        Reading reading =
                (status, answer) -> {
                    known.login(status == 200 ? login(answer, path) : SessionView.NOBODY);
                    return true;
                };
        if (member.isPresent()) {
            return rest("viewer", "viewer", permit, site.api().restRoot() + "/user", reading);
        }
        byte[] body = "{\"query\":\"query{viewer{login}}\"}".getBytes(StandardCharsets.US_ASCII);
        return query("viewer", "viewer", site, permit, body, reading);
    }

    private static Question query(
            String key, String kind, ApiSite site, ApiPermit permit, byte[] body, Reading reading) {
        ApiOrder order =
                new ApiOrder(
                        permit,
                        "POST",
                        site.api().graphqlPath(),
                        QUERY,
                        new BodyFraming.Sized(body.length));
        return new Question(key, kind, order, body, reading);
    }

    private static String login(byte[] answer, List<String> path) {
        try {
            JsonNode login = JSON.readTree(answer);
            for (String member : path) {
                login = login.path(member);
            }
            return LOGIN.matcher(login.asText()).matches() ? login.asText() : SessionView.NOBODY;
        } catch (IOException _) {
            return SessionView.NOBODY;
        }
    }
}
