package dev.sallyport.forge;

import static dev.sallyport.forge.RestRig.body;
import static dev.sallyport.forge.RestRig.denied;
import static dev.sallyport.forge.RestRig.forwarded;
import static dev.sallyport.forge.RestRig.hidden;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.Forge;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The APIs of GitLab and Gitea as ways around what a session may push, read or say.
class ForgeAttackTest {
    private static final String P = "/api/v4/projects/acme%2Fapp";
    private static final String OPEN =
            "{\"title\":\"t\",\"source_branch\":\"agent/x\",\"target_branch\":\"main\"%s}";

    private final ForgeRig gitlab = ForgeRig.of(Forge.GITLAB);
    private final ForgeRig gitea = ForgeRig.of(Forge.GITEA);

    /// Where an answer lies is said by a number, so that is known before anything else is asked.
    @Test
    void g23_aProjectIsAskedForItsNumberFirst() {
        ForgeRig rig = ForgeRig.of(Forge.GITLAB).withoutId();
        assertThat(rig.get(P + "/issues")).isInstanceOf(RestVerdict.NeedsId.class);
        assertThat(rig.ask("POST", P + "/merge_requests/7/notes", "{\"body\":\"x\"}"))
                .isInstanceOf(RestVerdict.NeedsId.class);
        assertThat(rig.get("/api/v4/projects/42")).isInstanceOf(RestVerdict.NeedsRepository.class);
    }

    @Test
    void aNumberIsSentAsTheGrantedName() {
        assertThat(forwarded(gitlab.get("/api/v4/projects/42/issues")).target())
                .isEqualTo(P + "/issues");
        ForgeRig nested = new ForgeRig(Forge.GITLAB, "group/sub/app", RestRig.ALL);
        assertThat(forwarded(nested.get("/api/v4/projects/Group%2Fsub%2fapp")).target())
                .isEqualTo("/api/v4/projects/group%2Fsub%2Fapp");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v4/projects/other%2Fsecret",
                "/api/v4/projects/acme%2Fapp2",
                "/api/v4/projects/acme",
                "/api/v4/projects/acme%2Fsub%2Fapp",
                "/api/v4/projects/042",
                "/api/v4/projects/-1",
                "/api/v4/projects/4e1",
                "/api/v4/projects/acme%2Fapp.git"
            })
    void g23_noOtherNameLeadsAnywhere(String path) {
        hidden(gitlab.get(path));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v4/projects/acme%252Fapp",
                "/api/v4/projects/acme%2F%2Fapp",
                "/api/v4/projects/acme%2F..%2Fapp",
                "/api/v4/projects/acme%2Fapp/../43",
                "/api/v4/projects/acme%2Fapp/%2e%2e/43",
                "/api/v4/projects/acme%2Fapp/",
                "/api/v4//projects/acme%2Fapp",
                "/api/v4/projects/acme%2Fapp;id=43",
                "/api/v4/projects/acme%5Capp",
                "/api/v3/projects/acme%2Fapp",
                "/api/v4/Projects/acme%2Fapp",
                "/api/v4/projects/acme/app"
            })
    void g15_aPathHasOneSpelling(String path) {
        assertThat(gitlab.get(path)).isInstanceOf(RestVerdict.Denied.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "main",
                "feature",
                "refs/heads/agent/x",
                "acme:main",
                "other:agent/x",
                "agent/../main",
                ""
            })
    void g16_aMergeRequestComesFromABranchThatCouldBePushed(String branch) {
        String open = OPEN.formatted("").replace("agent/x", branch);
        assertThat(denied(gitlab.ask("POST", P + "/merge_requests", open)).reason())
                .isEqualTo(Refusal.REF_NOT_ALLOWED);
        String pull = "{\"title\":\"t\",\"head\":\"" + branch + "\",\"base\":\"main\"}";
        assertThat(denied(gitea.ask("POST", gitea.root() + "/pulls", pull)).reason())
                .isEqualTo(Refusal.REF_NOT_ALLOWED);
    }

    @Test
    void g16_aMergeRequestStaysWithinItsProject() {
        assertThat(body(gitlab.ask("POST", P + "/merge_requests", OPEN.formatted(""))))
                .contains("\"target_project_id\":42");
        assertThat(
                        body(
                                gitlab.ask(
                                        "POST",
                                        P + "/merge_requests",
                                        OPEN.formatted(",\"target_project_id\":42"))))
                .contains("\"target_project_id\":42");
        assertThat(
                        denied(
                                        gitlab.ask(
                                                "POST",
                                                P + "/merge_requests",
                                                OPEN.formatted(",\"target_project_id\":43")))
                                .reason())
                .isEqualTo(Refusal.REF_NOT_ALLOWED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ",\"target_project_id\":\"43\"",
                ",\"target_project_id\":4.2e1",
                ",\"target_project_id\":[42]",
                ",\"source_project_id\":43",
                ",\"labels\":\"deploy\"",
                ",\"assignee_id\":1",
                ",\"reviewer_ids\":[1]",
                ",\"merge_when_pipeline_succeeds\":true",
                ",\"auto_merge\":true",
                ",\"title\":\"twice\"",
                ",\"description\":\"/merge\"",
                ",\"description\":\"x\\n  /approve\"",
                ",\"description\":\"ask @root_bot\"",
                ",\"description\":\"ask @_bot\"",
                ",\"description\":\"ask @octocat.evil\"",
                ",\"description\":\"Closes other/secret#7\"",
                ",\"description\":\"Closing evil/acme/app#7\"",
                ",\"description\":\"Implements secret#7\"",
                ",\"description\":\"closes https://git.corp.example/other/secret/-/issues/7\""
            })
    void g16_g24_nothingElseIsSaidWithIt(String more) {
        assertThat(gitlab.ask("POST", P + "/merge_requests", OPEN.formatted(more)))
                .isInstanceOf(RestVerdict.Denied.class);
    }

    /// What is sent for others to decide is sent as no, or not at all.
    @Test
    void g16_whatTheMergerDecidesIsNotAskedFor() {
        String sent =
                body(
                        gitlab.ask(
                                "POST",
                                P + "/merge_requests",
                                OPEN.formatted(
                                        ",\"remove_source_branch\":true,\"squash\":true,"
                                                + "\"labels\":\"\",\"assignee_ids\":[],"
                                                + "\"description\":\"Closes #7, for @octocat.\"")));
        assertThat(sent)
                .contains("\"remove_source_branch\":false", "\"squash\":false", "Closes #7")
                .doesNotContain("labels", "assignee");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GITLAB | PUT | /merge_requests/5 | {\"title\":\"x\"}",
                "GITLAB | PUT | /merge_requests/5 | {\"state_event\":\"close\"}",
                "GITLAB | PUT | /merge_requests/5 | {\"target_branch\":\"main\"}",
                "GITLAB | POST | /merge_requests/5/notes | {\"body\":\"x\"}",
                "GITEA | PATCH | /pulls/5 | {\"title\":\"x\"}",
                "GITEA | PATCH | /issues/5 | {\"state\":\"closed\"}",
                "GITEA | POST | /issues/5/comments | {\"body\":\"x\"}",
                "GITEA | POST | /pulls/5/reviews | {\"event\":\"COMMENT\",\"body\":\"x\"}",
                "GITEA | POST | /pulls/5/requested_reviewers | {\"reviewers\":[\"octocat\"]}",
            })
    void g16_g23_nobodyElsesPullRequestIsWrittenTo(
            Forge forge, String method, String path, String body) {
        ForgeRig unknown = ForgeRig.of(forge);
        assertThat(unknown.ask(method, unknown.root() + path, body))
                .isInstanceOf(RestVerdict.NeedsNumber.class);
        for (ForgeRig foreign :
                List.of(
                        ForgeRig.of(forge).withPull(5, "feature"),
                        ForgeRig.of(forge).withForeignPull(5))) {
            assertThat(denied(foreign.ask(method, foreign.root() + path, body)).reason())
                    .isEqualTo(Refusal.REF_NOT_ALLOWED);
        }
        ForgeRig own = ForgeRig.of(forge).withPull(5, "agent/fix");
        assertThat(forwarded(own.ask(method, own.root() + path, body)).target())
                .isEqualTo(own.root() + path);
    }

    private record Learned(List<String> told) implements Learner {
        @Override
        public void repository(RepoName repo, long id) {
            told.add(repo + "=" + id);
        }

        @Override
        public void pull(RepoName repo, long number, Optional<PullHead> head) {
            told.add(number + " " + head.map(h -> h.branch().shortName()).orElse("foreign"));
        }

        @Override
        public void comment(RepoName repo, long comment, long pull) {}

        @Override
        public void node(String nodeId, String type, RepoName repo) {}
    }

    private static AnswerScrubber.Scrubbed scrubbed(Forge forge, String json, Learned learned) {
        RepoName app = new RepoName(ForgeRig.HOST, "acme", "app");
        AnswerForm.Ground ground =
                new AnswerForm.Ground(
                        app,
                        app::equals,
                        id -> id == ForgeRig.ID ? Optional.of(app) : Optional.empty());
        return new AnswerScrubber(Dialect.of(forge).form(ground), learned)
                .scrub(json.getBytes(StandardCharsets.UTF_8));
    }

    /// A merge request is its own only when all three numbers are those of the project.
    @Test
    void g23_whereAMergeRequestComesFromIsSaidByNumbers() {
        Learned learned = new Learned(new ArrayList<>());
        String form =
                "{\"iid\":%d,\"project_id\":%d,\"source_project_id\":%s,\"target_project_id\":%d,\"source_branch\":\"agent/x\"}";
        String list =
                "["
                        + form.formatted(1, 42, "42", 42)
                        + ","
                        + form.formatted(2, 42, "43", 42)
                        + ","
                        + form.formatted(3, 42, "null", 42)
                        + ","
                        + form.formatted(4, 42, "42", 43)
                        + ","
                        + form.formatted(5, 43, "43", 43)
                        + "]";
        assertThat(scrubbed(Forge.GITLAB, list, learned))
                .isInstanceOf(AnswerScrubber.Scrubbed.Clean.class);
        assertThat(learned.told())
                .containsExactly("1 agent/x", "2 foreign", "3 foreign", "4 foreign");
    }

    /// G23: a name that was given up and taken by somebody else has another number.
    @Test
    void g23_anAnswerOfAnotherProjectIsNotGiven() {
        for (String json :
                List.of(
                        "{\"iid\":1,\"project_id\":43,\"title\":\"x\"}",
                        "{\"id\":42,\"path_with_namespace\":\"other/secret\"}",
                        "{\"iid\":1,\"project_id\":42,\"confidential\":true}")) {
            assertThat(scrubbed(Forge.GITLAB, json, new Learned(new ArrayList<>())))
                    .isInstanceOf(AnswerScrubber.Scrubbed.Foreign.class);
        }
    }

    /// At Gitea people choose a `full_name`, which makes nobody a repository.
    @Test
    void g23_aPersonIsNoRepositoryWhateverTheirName() {
        Learned learned = new Learned(new ArrayList<>());
        String json =
                "[{\"id\":7,\"login\":\"eve\",\"full_name\":\"acme/app\"},"
                        + "{\"id\":8,\"login\":\"bob\",\"full_name\":\"Bob\"},"
                        + "{\"id\":12,\"full_name\":\"acme/app\",\"owner\":{\"login\":\"acme\"}}]";
        AnswerScrubber.Scrubbed scrubbed = scrubbed(Forge.GITEA, json, learned);
        assertThat(
                        new String(
                                ((AnswerScrubber.Scrubbed.Clean) scrubbed).json(),
                                StandardCharsets.UTF_8))
                .contains("Bob");
        assertThat(learned.told()).containsExactly(ForgeRig.HOST + "/acme/app=12");
    }
}
