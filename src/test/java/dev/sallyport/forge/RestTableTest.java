package dev.sallyport.forge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.ApiOperation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RestTableTest {
    /// The only writes of GitHub's that a policy can allow, with what they are. A second list, so
    /// that nobody adds a line to the table in passing.
    private static final Map<String, ApiOperation> ALLOWED =
            Map.ofEntries(
                    Map.entry("POST R/pulls", ApiOperation.PULL_OPEN),
                    Map.entry("PATCH R/pulls/{number}", ApiOperation.PULL_EDIT),
                    Map.entry("PATCH R/issues/{number}", ApiOperation.PULL_EDIT),
                    Map.entry("POST R/issues/{number}/comments", ApiOperation.PULL_COMMENT),
                    Map.entry("POST R/pulls/{number}/comments", ApiOperation.PULL_COMMENT),
                    Map.entry(
                            "POST R/pulls/{number}/comments/{id}/replies",
                            ApiOperation.PULL_COMMENT),
                    Map.entry("POST R/pulls/{number}/reviews", ApiOperation.PULL_COMMENT),
                    Map.entry(
                            "POST R/pulls/{number}/requested_reviewers",
                            ApiOperation.PULL_REVIEWERS),
                    Map.entry(
                            "DELETE R/pulls/{number}/requested_reviewers",
                            ApiOperation.PULL_REVIEWERS),
                    Map.entry("POST R/issues", ApiOperation.ISSUE_OPEN),
                    Map.entry("POST R/actions/runs/{id}/rerun", ApiOperation.RERUN),
                    Map.entry("POST R/actions/runs/{id}/rerun-failed-jobs", ApiOperation.RERUN),
                    Map.entry("POST R/actions/jobs/{id}/rerun", ApiOperation.RERUN));

    private static final Map<String, String> VALUES =
            Map.ofEntries(
                    Map.entry("{id}", "7"),
                    Map.entry("{number}", "7"),
                    Map.entry("{comment}", "7"),
                    Map.entry("{object}", "a".repeat(40)),
                    Map.entry("{sha}", "a".repeat(40)),
                    Map.entry("{branch}", "main"),
                    Map.entry("{revision}", "main"),
                    Map.entry("{revision...}", "heads/main"),
                    Map.entry("{range}", "main...agent%2Ffix"),
                    Map.entry("{ref...}", "heads/agent/fix"),
                    Map.entry("{tag...}", "v1"),
                    Map.entry("{workflow}", "ci.yml"),
                    Map.entry("{label}", "bug"),
                    Map.entry("{name}", "thing"),
                    Map.entry("{login}", "octocat"),
                    Map.entry("{owner}", "Acme"),
                    Map.entry("{file...}", "src/main/App.java"));

    static List<String> writes() throws IOException {
        try (InputStream file =
                Objects.requireNonNull(
                        RestTableTest.class.getResourceAsStream("github-writes.txt"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
        }
    }

    private static String path(String template) {
        String path = template.replaceFirst("^R", "/repos/Acme/App");
        for (Map.Entry<String, String> value : VALUES.entrySet()) {
            path = path.replace(value.getKey(), value.getValue());
        }
        assertThat(path).doesNotContain("{");
        return path;
    }

    /// G16: whatever the policy grants, nothing of it goes upstream.
    @ParameterizedTest
    @MethodSource("writes")
    void g16_refusesEveryWriteThatIsNotListed(String write) {
        String[] words = write.split(" ", 2);
        RestRig rig = new RestRig(RestRig.ALL).withId(7).withPull(7, "agent/fix");
        RestVerdict verdict = rig.ask(words[0], path(words[1]), "{}");
        if (ALLOWED.containsKey(write)) {
            assertThat(verdict.detail()).containsEntry("operation", ALLOWED.get(write).label());
        } else {
            assertThat(RestRig.denied(verdict).reason().code()).isEqualTo("operation-not-allowed");
            assertThat(verdict.detail()).doesNotContainKey("operation");
        }
    }

    @Test
    void everyWriteOfTheTableIsOneOfGithubsAndListed() throws IOException {
        Set<String> table =
                RestTable.routes().stream()
                        .filter(route -> route.operation().isWrite())
                        .map(RestRoute::toString)
                        .map(RestTableTest::comparable)
                        .collect(Collectors.toSet());
        Set<String> listed =
                ALLOWED.keySet().stream()
                        .map(RestTableTest::comparable)
                        .collect(Collectors.toSet());
        assertThat(table).isEqualTo(listed);
        assertThat(writes()).containsAll(ALLOWED.keySet());
    }

    private static String comparable(String write) {
        return write.replace("{id}", "{number}").replace("{comment}", "{number}");
    }

    /// G16: a read is sent with GET, and nothing but reads is.
    @Test
    void g16_onlyReadsAreSentWithGet() {
        for (RestRoute route : RestTable.routes()) {
            assertThat(route.method().equals("GET"))
                    .as(route.toString())
                    .isEqualTo(!route.operation().isWrite());
            assertThat(route.body().isPresent()).isEqualTo(route.operation().isWrite());
        }
    }

    /// A write to a pull request, by whatever path, asks for its head first.
    @Test
    void g16_everyWriteToAPullRequestNeedsItsHead() {
        for (RestRoute route : RestTable.routes()) {
            boolean changes =
                    switch (route.operation()) {
                        case PULL_EDIT, PULL_COMMENT, PULL_READY, PULL_REVIEWERS -> true;
                        default -> false;
                    };
            assertThat(route.isForOwnPulls()).as(route.toString()).isEqualTo(changes);
        }
    }

    static Stream<RestRoute> routes() {
        return RestTable.routes().stream();
    }

    @ParameterizedTest
    @MethodSource("routes")
    void eachPathIsOneOperation(RestRoute route) throws Exception {
        List<String> segments = RestPath.parse(path(route.template())).segments();
        List<String> below = segments.subList(3, segments.size());
        assertThat(
                        RestTable.routes().stream()
                                .filter(r -> r.match(route.method(), below).isPresent()))
                .containsExactly(route);
    }

    /// Everything that a client may read leads upstream under the granted name, and HEAD with it.
    @ParameterizedTest
    @MethodSource("routes")
    void everyReadIsForwarded(RestRoute route) {
        if (route.operation().isWrite()) {
            return;
        }
        RestRig rig = new RestRig(RestRig.ALL);
        RestVerdict.Forward get =
                RestRig.forwarded(rig.get(path(route.template()).replace("Acme", "aCME")));
        assertThat(get.target()).isEqualTo(path(route.template()));
        assertThat(get.permit().operation()).isEqualTo(route.operation());
        assertThat(get.body()).isEmpty();
        RestVerdict.Forward head = RestRig.forwarded(rig.ask("HEAD", path(route.template()), ""));
        assertThat(head.treatment()).isEqualTo(AnswerTreatment.NO_BODY);
        assertThat(new TreeMap<>(head.fields())).isEqualTo(new TreeMap<>(get.fields()));
    }
}
