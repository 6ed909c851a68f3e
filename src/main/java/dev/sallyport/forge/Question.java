package dev.sallyport.forge;

import com.fasterxml.jackson.core.JsonProcessingException;
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
import java.util.Map;
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
            Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}(\\[bot])?");
    private static final Map<String, String> REST =
            Map.of("accept", "application/vnd.github+json", "x-github-api-version", "2022-11-28");
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
                site.target(repo, "/pulls/" + number),
                (status, answer) -> {
                    if (status == 404) {
                        known.found(repo, number, new Numbered.Other());
                        return true;
                    }
                    return status == 200
                            && learn(policy, known, repo, answer)
                            && known.numbered(repo, number).isPresent();
                });
    }

    /// The number of a repository.
    static Question repository(ApiSite site, Policy policy, Known known, ApiPermit permit) {
        RepoName repo = permit.repo();
        return rest(
                "repository " + repo,
                "repository",
                permit,
                site.target(repo, ""),
                // That there is none of this name is not the matter of whoever asked about an id.
                (status, answer) -> {
                    boolean _ = status == 200 && learn(policy, known, repo, answer);
                    return true;
                });
    }

    private static Question rest(
            String key, String kind, ApiPermit permit, String target, Reading reading) {
        ApiOrder order = new ApiOrder(permit, "GET", target, REST, new BodyFraming.None());
        return new Question(key, kind, order, new byte[0], reading);
    }

    private static boolean learn(Policy policy, Known known, RepoName repo, byte[] answer) {
        Known.Lesson lesson = known.lesson();
        return new AnswerScrubber(repo, readable(policy), lesson).scrub(answer)
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
        byte[] body = "{\"query\":\"query{viewer{login}}\"}".getBytes(StandardCharsets.US_ASCII);
        return query(
                "viewer",
                "viewer",
                site,
                permit,
                body,
                (status, answer) -> {
                    known.login(status == 200 ? login(answer) : SessionView.NOBODY);
                    return true;
                });
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

    private static String login(byte[] answer) {
        try {
            JsonNode login = JSON.readTree(answer).path("data").path("viewer").path("login");
            return LOGIN.matcher(login.asText()).matches() ? login.asText() : SessionView.NOBODY;
        } catch (JsonProcessingException _) {
            return SessionView.NOBODY;
        } catch (IOException _) {
            return SessionView.NOBODY;
        }
    }
}
