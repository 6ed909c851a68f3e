package dev.sallyport.forge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.Forge;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// The tables of GitLab, Gitea and Forgejo against what these services document.
class ForgeTableTest {
    /// The only writes that a policy can allow. A second list, so that nobody adds a line to a
    /// table in passing.
    private static final Map<Forge, Map<String, ApiOperation>> ALLOWED =
            Map.of(
                    Forge.GITLAB,
                    Map.of(
                            "POST R/merge_requests", ApiOperation.PULL_OPEN,
                            "PUT R/merge_requests/{number}", ApiOperation.PULL_EDIT,
                            "POST R/merge_requests/{number}/notes", ApiOperation.PULL_COMMENT,
                            "POST R/issues", ApiOperation.ISSUE_OPEN,
                            "POST R/issues/{number}/notes", ApiOperation.ISSUE_COMMENT,
                            "POST R/pipelines/{number}/retry", ApiOperation.RERUN,
                            "POST R/jobs/{number}/retry", ApiOperation.RERUN),
                    Forge.GITEA,
                    Map.of(
                            "POST R/pulls", ApiOperation.PULL_OPEN,
                            "PATCH R/pulls/{number}", ApiOperation.PULL_EDIT,
                            "PATCH R/issues/{number}", ApiOperation.PULL_EDIT,
                            "POST R/issues/{number}/comments", ApiOperation.PULL_COMMENT,
                            "POST R/pulls/{number}/reviews", ApiOperation.PULL_COMMENT,
                            "POST R/pulls/{number}/requested_reviewers",
                                    ApiOperation.PULL_REVIEWERS,
                            "DELETE R/pulls/{number}/requested_reviewers",
                                    ApiOperation.PULL_REVIEWERS,
                            "POST R/issues", ApiOperation.ISSUE_OPEN));

    private static final Map<String, String> VALUES =
            Map.ofEntries(
                    Map.entry("{number}", "7"),
                    Map.entry("{object}", "a".repeat(40)),
                    Map.entry("{revision}", "agent%2Ffix"),
                    Map.entry("{range}", "main...agent%2Ffix"),
                    Map.entry("{ref...}", "heads/agent/fix"),
                    Map.entry("{tag}", "v1"),
                    Map.entry("{workflow}", "ci.yml"),
                    Map.entry("{name}", "thing"),
                    Map.entry("{archive...}", "main.tar.gz"),
                    Map.entry("{pull-diff}", "7.diff"),
                    Map.entry("{commit-diff}", "a".repeat(40) + ".patch"),
                    Map.entry("{file}", "src%2Fmain%2FApp.java"),
                    Map.entry("{file...}", "src/main/App.java"));

    private static Map<String, ApiOperation> allowed(Forge forge) {
        return Objects.requireNonNull(ALLOWED.get(forge));
    }

    private static List<String> writes(Forge forge) throws IOException {
        try (InputStream file =
                Objects.requireNonNull(
                        ForgeTableTest.class.getResourceAsStream(forge.label() + "-writes.txt"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
        }
    }

    static Stream<Arguments> writes() throws IOException {
        return Stream.concat(
                writes(Forge.GITLAB).stream().map(write -> Arguments.of(Forge.GITLAB, write)),
                writes(Forge.GITEA).stream().map(write -> Arguments.of(Forge.GITEA, write)));
    }

    static Stream<Arguments> routes() {
        return Stream.of(Forge.GITLAB, Forge.GITEA)
                .flatMap(f -> Dialect.of(f).routes().stream().map(r -> Arguments.of(f, r)));
    }

    private static String path(Forge forge, String template) {
        String root = Dialect.of(forge).api(ForgeRig.HOST).restRoot();
        String path =
                template.startsWith("R")
                        ? ForgeRig.of(forge).root() + template.substring(1)
                        : root + template;
        for (Map.Entry<String, String> value : VALUES.entrySet()) {
            path = path.replace(value.getKey(), value.getValue());
        }
        assertThat(path).doesNotContain("{");
        return path;
    }

    /// G16: whatever the policy grants, nothing of it goes upstream.
    @ParameterizedTest
    @MethodSource("writes")
    void g16_refusesEveryWriteThatIsNotListed(Forge forge, String write) {
        String[] words = write.split(" ", 2);
        ForgeRig rig = ForgeRig.of(forge).withPull(7, "agent/fix");
        RestVerdict verdict = rig.ask(words[0], path(forge, words[1]), "{}");
        ApiOperation allowed = allowed(forge).get(write);
        if (allowed != null) {
            assertThat(verdict.detail()).containsEntry("operation", allowed.label());
        } else {
            assertThat(RestRig.denied(verdict).reason().code())
                    .isIn("operation-not-allowed", "no-such-endpoint", "repo-unavailable");
            assertThat(verdict.detail()).doesNotContainKey("operation");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"GITLAB", "GITEA"})
    void everyWriteOfATableIsListed(Forge forge) throws IOException {
        Set<String> table =
                Dialect.of(forge).routes().stream()
                        .filter(route -> route.operation().isWrite())
                        .map(RestRoute::toString)
                        .collect(Collectors.toSet());
        assertThat(table).isEqualTo(allowed(forge).keySet());
        assertThat(writes(forge)).containsAll(table);
    }

    /// G16: a read is sent with GET and nothing else is; a write to a pull request, by whatever
    /// path, asks for its head first.
    @ParameterizedTest
    @MethodSource("routes")
    void g16_onlyReadsAreSentWithGetAndEveryWriteNeedsItsHead(Forge forge, RestRoute route) {
        boolean changes =
                switch (route.operation()) {
                    case PULL_EDIT, PULL_COMMENT, PULL_READY, PULL_REVIEWERS -> true;
                    default -> false;
                };
        assertThat(route.method().equals("GET")).isEqualTo(!route.operation().isWrite());
        assertThat(route.body().isPresent()).isEqualTo(route.operation().isWrite());
        assertThat(route.isForOwnPulls()).isEqualTo(changes);
    }

    @ParameterizedTest
    @MethodSource("routes")
    void eachPathIsOneOperation(Forge forge, RestRoute route) throws Exception {
        String root = ForgeRig.of(forge).root();
        String below = path(forge, route.template()).substring(root.length());
        List<String> segments = RestPath.parse(below).segments();
        assertThat(
                        Dialect.of(forge).routes().stream()
                                .filter(r -> r.match(route.method(), segments).isPresent()))
                .containsExactly(route);
    }

    /// Everything that a client may read leads upstream under the granted name, and HEAD with it.
    @ParameterizedTest
    @MethodSource("routes")
    void everyReadIsForwarded(Forge forge, RestRoute route) {
        if (route.operation().isWrite()) {
            return;
        }
        ForgeRig rig = ForgeRig.of(forge);
        String path = path(forge, route.template());
        RestVerdict.Forward get = RestRig.forwarded(rig.get(path.replace("acme", "ACME")));
        assertThat(get.target()).isEqualTo(path);
        assertThat(get.permit().operation()).isEqualTo(route.operation());
        assertThat(get.fields()).containsOnlyKeys("accept");
        RestVerdict.Forward head = RestRig.forwarded(rig.ask("HEAD", path, ""));
        assertThat(head.treatment()).isEqualTo(AnswerTreatment.NO_BODY);
    }
}
