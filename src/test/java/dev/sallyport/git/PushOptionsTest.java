package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiLevel;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.Forge;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Options of pushes, by real git on both sides; upstream writes down the options that reach it.
final class PushOptionsTest {
    private static final ApiRules RULES = ApiRules.standard(Access.WRITE);

    @TempDir static Path dir;
    private static BoundaryRig rig;
    private static DoorRig gitlab;
    private static DoorRig gitea;
    private static Path heard;
    private static int pushes;

    @BeforeAll
    static void start() throws Exception {
        rig = BoundaryRig.standard(dir);
        gitlab = rig.doorWithApi(RULES.withForge(Forge.GITLAB));
        gitea = rig.doorWithApi(RULES.withForge(Forge.GITEA));
        heard = dir.resolve("heard");
        Git.ok(rig.bare, "config", "receive.advertisePushOptions", "true");
        Path hook = rig.bare.resolve("hooks/pre-receive");
        Files.writeString(
                hook,
                """
                #!/bin/sh
                i=0
                while [ "$i" -lt "${GIT_PUSH_OPTION_COUNT:-0}" ]; do
                  eval "printf '%%s\\\\n' \\"\\$GIT_PUSH_OPTION_$i\\"" >> '%s'
                  i=$((i + 1))
                done
                """
                        .formatted(heard));
        Files.setPosixFilePermissions(hook, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterAll
    static void stop() {
        gitlab.close();
        gitea.close();
        rig.close();
    }

    private static Command.Result push(DoorRig door, String refspec, String... options)
            throws IOException {
        Files.deleteIfExists(heard);
        rig.commit("file-" + pushes++, "x\n");
        List<String> argv = new ArrayList<>(List.of("push", door.url("acme/app"), refspec));
        for (String option : options) {
            argv.add("--push-option=" + option);
        }
        return Git.run(rig.work, argv.toArray(String[]::new));
    }

    private static List<String> heard() throws IOException {
        return Files.exists(heard) ? Files.readAllLines(heard) : List.of();
    }

    private static void refused(DoorRig door, String why, String... options) throws Exception {
        long sent = rig.pushesSent();
        String branch = "agent/no-" + pushes;
        Command.Result said = push(door, "HEAD:refs/heads/" + branch, options);
        assertThat(said.exit()).isNotZero();
        assertThat(said.err()).contains("push-option-not-allowed").contains(why);
        assertThat(heard()).isEmpty();
        assertThat(rig.pushesSent()).isEqualTo(sent);
    }

    @Test
    void g25_aMergeRequestIsOpenedByAPushOfAnAllowedBranch() throws Exception {
        push(
                        gitlab,
                        "HEAD:refs/heads/agent/mr",
                        "merge_request.create",
                        "mr.target=main",
                        "merge_request.title=Fix the login",
                        "merge_request.description=It failed.\\nNow it does not.",
                        "merge_request.draft")
                .ok();

        assertThat(heard())
                .containsExactly(
                        "merge_request.create",
                        "merge_request.target=main",
                        "merge_request.title=Fix the login",
                        "merge_request.description=It failed.\\nNow it does not.",
                        "merge_request.draft",
                        "merge_request.target_project=acme/app");
        assertThat(gitlab.events)
                .anySatisfy(
                        event ->
                                assertThat(event.detail().getOrDefault("options", ""))
                                        .contains("merge_request.create")
                                        .doesNotContain("login"));
    }

    /// As of texts that go to the API.
    @Test
    void g24_ofTextsTheRecordHasDigestAndLength() throws Exception {
        String description = "It failed.\nNow it does not.";
        push(
                        gitlab,
                        "HEAD:refs/heads/agent/recorded",
                        "merge_request.create",
                        "merge_request.title=Mend it",
                        "merge_request.description=" + description.replace("\n", "\\n"))
                .ok();

        assertThat(gitlab.events)
                .anySatisfy(
                        event ->
                                assertThat(event.detail())
                                        .containsEntry("title-sha256", sha256("Mend it"))
                                        .containsEntry("title-characters", "7")
                                        .containsEntry("description-sha256", sha256(description))
                                        .containsEntry("description-characters", "27"));
        assertThat(gitlab.events.toString()).doesNotContain("Mend it").doesNotContain("It failed");
    }

    private static String sha256(String text) throws Exception {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    /// They count with the changes that go through the API. A push without options proposes
    /// nothing, and one that is refused for another reason has changed nothing.
    @Test
    void g25_mergeRequestsOfPushesAreCountedAsChanges() throws Exception {
        String[] options = {
            "merge_request.create", "merge_request.title=T", "merge_request.description=D"
        };
        try (DoorRig door = rig.doorWithApi(RULES.withForge(Forge.GITLAB), 2)) {
            push(door, "HEAD:refs/heads/main", options);
            push(door, "HEAD:refs/heads/agent/rate-1", options).ok();
            push(door, "HEAD:refs/heads/agent/rate-2", options).ok();
            long sent = rig.pushesSent();
            Command.Result third = push(door, "HEAD:refs/heads/agent/rate-3", options);

            assertThat(third.exit()).isNotZero();
            assertThat(third.err()).contains("too-many-requests").contains("wait a minute");
            assertThat(rig.pushesSent()).isEqualTo(sent);
            assertThat(heard()).isEmpty();
            push(door, "HEAD:refs/heads/agent/rate-3").ok();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "merge_request.auto_merge",
                "merge_request.merge_when_pipeline_succeeds",
                "mr.merge_when_pipeline_succeeds",
                "merge_request.label=deploy",
                "merge_request.unlabel=x",
                "merge_request.assign=root",
                "merge_request.unassign=root",
                "merge_request.milestone=1",
                "merge_request.remove_source_branch",
                "merge_request.squash",
                "merge_request.create",
                "merge_request.create=yes",
                "merge_request.title=%{first_commit}",
                "merge_request.description=%{url}/label ~deploy",
                "merge_request.something_new",
                " merge_request.create",
                "merge_request .create",
                "Merge_request.create",
                "ci.skip",
                "ci.no_pipeline",
                "ci.variable=DEPLOY=1",
                "ci.input=x=y",
                "integrations.skip_ci",
                "secret_detection.skip_all",
                "secret_push_protection.skip_all",
                "merge_request.target_project=other/secret",
                "merge_request.target=../main",
                "merge_request.target=",
                "merge_request.title=",
                "merge_request.title=/merge",
                "merge_request.title=ping @root",
                "merge_request.description=fine\\n/approve",
                "merge_request.description=/merge",
                "merge_request.description=ghp_016C7e1q0hb7yXKe5tXo1P5BvQ3nJp2m4zWd",
                "unheard-of"
            })
    void g25_everyOtherOptionIsRefusedByNameAndNothingIsSent(String option) throws Exception {
        refused(gitlab, "option ", option);
        refused(gitlab, "option ", "merge_request.create", option);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "repo.private=false",
                "repo.template=true",
                "topic=x",
                "title=y",
                "force-push"
            })
    void g25_giteaHasNoOptionThatASandboxCanUse(String option) throws Exception {
        refused(gitea, "option " + option.split("=", 2)[0], option);
    }

    @Test
    void g25_withoutTheRightToOpenOneNoMergeRequestIsOpened() throws Exception {
        ApiRules read =
                new ApiRules(
                                ApiLevel.READ,
                                ApiLevel.READ,
                                ApiLevel.READ,
                                ApiLevel.OFF,
                                false,
                                List.of(),
                                false)
                        .withForge(Forge.GITLAB);
        try (DoorRig door = rig.doorWithApi(read)) {
            refused(door, "pulls: write", "merge_request.create");
        }
    }

    @Test
    void g25_oneBranchAndNothingElseIsPushedWithAMergeRequest() throws Exception {
        long sent = rig.pushesSent();
        rig.commit("two", "x\n");
        Command.Result two =
                Git.run(
                        rig.work,
                        "push",
                        gitlab.url("acme/app"),
                        "HEAD:refs/heads/agent/one",
                        "HEAD:refs/heads/agent/two",
                        "--push-option=merge_request.create");
        assertThat(two.err()).contains("changes one branch");
        Command.Result main =
                push(
                        gitlab,
                        "HEAD:refs/heads/main",
                        "merge_request.create",
                        "merge_request.title=T",
                        "merge_request.description=D");
        assertThat(main.err()).contains("ref-not-allowed");
        assertThat(rig.pushesSent()).isEqualTo(sent);
    }

    /// Where no option can be used, git is told that there are none.
    @Test
    void otherHostsAreOfferedNone() throws Exception {
        long sent = rig.pushesSent();
        for (Optional<ApiRules> rules : List.of(Optional.<ApiRules>empty(), Optional.of(RULES))) {
            try (DoorRig door = rig.doorWithApi(rules.orElse(ApiRules.NONE))) {
                Command.Result said = push(door, "HEAD:refs/heads/agent/no", "ci.skip");
                assertThat(said.exit()).isNotZero();
                assertThat(said.err()).contains("does not support push options");
            }
        }
        assertThat(rig.pushesSent()).isEqualTo(sent);
        assertThat(push(gitlab, "HEAD:refs/heads/agent/plain").ok()).isNotNull();
        assertThat(heard()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "refs/for/main",
        "refs/for/main/topic",
        "refs/for-review/main",
        "refs/draft/main",
        "refs/drafts/main",
        "refs/merge-requests/1/head",
        "refs/changes/01/1/1"
    })
    void g25_noReviewIsOpenedWithoutABranch(String ref) throws Exception {
        long sent = rig.pushesSent();
        for (DoorRig door : List.of(rig.door, gitlab, gitea)) {
            Command.Result said = push(door, "HEAD:" + ref);
            assertThat(said.exit()).isNotZero();
            assertThat(said.err())
                    .contains("review-ref-not-allowed")
                    .contains("push a branch and open a pull request");
        }
        assertThat(rig.pushesSent()).isEqualTo(sent);
        assertThat(Git.ok(rig.bare, "for-each-ref", "refs/for", "refs/merge-requests")).isEmpty();
    }
}
