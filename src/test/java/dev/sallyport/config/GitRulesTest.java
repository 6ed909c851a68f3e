package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiLevel;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.MirrorUse;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SecretScan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// `git:` in a policy file.
class GitRulesTest {
    private static final String APP = "git:\n  - repo: github.com/acme/app\n    access: write\n";

    @TempDir Path directory;

    private PolicyFile load(String text) throws IOException {
        Path file = directory.resolve("policy.yaml");
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        return PolicyFile.load(file);
    }

    private RepoGrant only(String text) throws IOException {
        PolicyFile file = load(text);
        assertThat(file.git()).hasSize(1);
        return file.git().getFirst().grant();
    }

    private PushRules push(String keys) throws IOException {
        return only(APP + "    push: {" + keys + "}\n").push();
    }

    private void refused(String text, String... fragments) {
        assertThatThrownBy(() -> load(text))
                .isInstanceOf(ConfigException.class)
                .satisfies(e -> assertThat(((ConfigException) e).remedy()).isNotBlank())
                .hasMessageContainingAll(fragments);
    }

    @Test
    void readsEveryKey() throws IOException {
        RepoGrant grant =
                only(
                        """
                        git:
                          - repo: github.com/Acme/App
                            access: write
                            refs-visible: ["refs/heads/**", "refs/tags/v*"]
                            push:
                              branches: ["agent/**", main]
                              force: true
                              delete: true
                              tags: true
                              refs-trusted: ["refs/changes/**", "refs/notes/*"]
                              paths-denied: [".github/**"]
                              paths-allowed: ["src/**", "docs/*"]
                              pack-bytes-max: 104857600
                              file-bytes-max: 1000
                              commits-max: 10
                              secrets: warn
                              author: ["*@bots.example", me@corp.example]
                        """);
        assertThat(grant.repo().text()).isEqualTo("github.com/Acme/App");
        assertThat(grant.access()).isEqualTo(Access.WRITE);
        assertThat(grant.visible()).hasToString("[refs/heads/**, refs/tags/v*]");
        PushRules push = grant.push();
        assertThat(push.branches()).hasToString("[agent/**, main]");
        assertThat(push.force() && push.delete() && push.tags()).isTrue();
        assertThat(push.packBytesMax()).isEqualTo(104_857_600);
        assertThat(push.refsTrusted()).hasToString("[refs/changes/**, refs/notes/*]");
        ContentRules content = push.content();
        assertThat(content.pathsDenied()).hasToString("[.github/**]");
        assertThat(content.pathsAllowed().orElseThrow()).hasToString("[src/**, docs/*]");
        assertThat(content.fileBytesMax()).isEqualTo(1_000);
        assertThat(content.commitsMax()).isEqualTo(10);
        assertThat(content.secrets()).isEqualTo(SecretScan.WARN);
        assertThat(content.authors().orElseThrow())
                .hasToString("[*@bots.example, me@corp.example]");
    }

    @Test
    void meansTheStandardRulesWhereItSaysNothing() throws IOException {
        RepoGrant bare = only(APP);
        assertThat(bare.visible()).isEqualTo(RefVisibility.all());
        assertThat(bare.push()).isEqualTo(PushRules.standard());
        assertThat(push("")).isEqualTo(PushRules.standard());
        RepoGrant read = only("git: [{repo: github.com/acme/app, access: read}]");
        assertThat(read.push()).isEqualTo(PushRules.none());
        assertThat(load("git: []").git()).isEmpty();
        assertThat(load("").git()).isEmpty();
    }

    /// G20.
    @Test
    void anEmptyListIsNotAnAbsentOne() throws IOException {
        assertThat(push("branches: []").branches()).isEmpty();
        assertThat(push("refs-trusted: []")).isEqualTo(PushRules.standard());
        assertThat(push("paths-denied: []").content().pathsDenied()).isEmpty();
        assertThat(push("paths-allowed: []").content().pathsAllowed()).contains(List.of());
        assertThat(push("author: []").content().authors()).contains(List.of());
        assertThat(push("force: false").content().pathsAllowed()).isEmpty();
        assertThat(push("force: false").content().authors()).isEmpty();
        RefVisibility none = only(APP + "    refs-visible: []\n").visible();
        assertThat(none.isAll()).isFalse();
        assertThat(none.patterns()).contains(List.of());
    }

    @ParameterizedTest
    @CsvSource({"deny,DENY", "warn,WARN", "off,OFF"})
    void readsWhatHappensToSecrets(String word, SecretScan scan) throws IOException {
        assertThat(push("secrets: " + word).content().secrets()).isEqualTo(scan);
    }

    @ParameterizedTest
    @CsvSource({"auto,AUTO", "on,ON", "off,OFF"})
    void readsWhetherTheCopyAnswers(String word, MirrorUse use) throws IOException {
        assertThat(only(APP + "    mirror: " + word + "\n").mirror()).isEqualTo(use);
        assertThat(only(APP).mirror()).isEqualTo(MirrorUse.AUTO);
        refused(APP + "    mirror: never\n", "git[0].mirror", "Write auto, on or off.");
    }

    private ApiRules api(String keys) throws IOException {
        return only(APP + "    api: {" + keys + "}\n").api();
    }

    @Test
    void readsWhatAnApiMayBeUsedFor() throws IOException {
        assertThat(
                        api(
                                "read: off, checks: off, pulls: read, issues: write, rerun: true,"
                                        + " reviewers: [OctoCat, hubot], text-commands: true"))
                .isEqualTo(
                        new ApiRules(
                                ApiLevel.OFF,
                                ApiLevel.OFF,
                                ApiLevel.READ,
                                ApiLevel.WRITE,
                                true,
                                List.of("octocat", "hubot"),
                                true));
        assertThat(api("")).isEqualTo(ApiRules.standard(Access.WRITE));
        assertThat(only(APP).api()).isEqualTo(ApiRules.standard(Access.WRITE));
        assertThat(only("git: [{repo: github.com/acme/app, access: read}]").api())
                .isEqualTo(ApiRules.standard(Access.READ));
    }

    /// G16: by default a sandbox that may push may propose, and one that may read may read; nothing
    /// starts a workflow, asks for a review or commands a bot.
    @Test
    void g16_theStandardApiIsSmall() {
        ApiRules write = ApiRules.standard(Access.WRITE);
        assertThat(write.allows(ApiOperation.PULL_OPEN)).isTrue();
        for (ApiOperation operation :
                List.of(
                        ApiOperation.RERUN,
                        ApiOperation.PULL_REVIEWERS,
                        ApiOperation.ISSUE_OPEN,
                        ApiOperation.ISSUE_COMMENT)) {
            assertThat(write.allows(operation)).isFalse();
        }
        for (ApiOperation operation : ApiOperation.values()) {
            assertThat(ApiRules.standard(Access.READ).allows(operation))
                    .isEqualTo(!operation.isWrite());
            assertThat(ApiRules.NONE.allows(operation)).isFalse();
        }
    }

    /// An API shows all refs, so that there is none where some are hidden.
    @Test
    void hiddenRefsLeaveNoApi() throws IOException {
        assertThat(only(APP + "    refs-visible: [\"refs/heads/**\"]\n").api())
                .isEqualTo(ApiRules.NONE);
        refused(
                APP + "    refs-visible: []\n    api: {}\n",
                "git[0].api cannot be combined with refs-visible");
        String plain = "hosts: [{name: git.corp.example, kind: plain}]\n";
        String repo = "git: [{repo: git.corp.example/a/b, access: read";
        assertThat(only(plain + repo + "}]").api()).isEqualTo(ApiRules.NONE);
        refused(plain + repo + ", api: {}}]", "git[0].api is for hosts that have an API");
    }

    @ParameterizedTest
    @CsvSource({"github-enterprise, GITHUB", "gitlab, GITLAB", "gitea, GITEA"})
    void theKindOfAHostDecidesTheApi(String kind, Forge forge) throws IOException {
        String host = "hosts: [{name: git.corp.example, kind: " + kind + "}]\n";
        String repo = "git: [{repo: git.corp.example/a/b, access: write";
        assertThat(only(host + repo + "}]").api())
                .isEqualTo(ApiRules.standard(Access.WRITE).withForge(forge));
        assertThat(only(host + repo + ", api: {pulls: off}}]").api().forge()).isEqualTo(forge);
    }

    @Test
    void onlySomeHostsHaveGroupsInGroups() throws IOException {
        String host = "hosts: [{name: git.corp.example, kind: ";
        String repo = "}]\ngit: [{repo: git.corp.example/a/b/c, access: read}]";
        for (String kind : List.of("gitlab", "plain")) {
            assertThat(only(host + kind + repo).repo().isNested()).isTrue();
        }
        for (String kind : List.of("github-enterprise", "gitea")) {
            refused(host + kind + repo, "git[0].repo has more than an owner and a name.");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "read: write|git[0].api.read is not a valid level. Write off or read.",
                "checks: write|git[0].api.checks is not a valid level.",
                "pulls: merge|git[0].api.pulls is not a valid level. Write off, read or write.",
                "pulls: Write|git[0].api.pulls",
                "issues: true|git[0].api.issues",
                "rerun: yes|git[0].api.rerun is not true or false.",
                "reviewers: octocat|git[0].api.reviewers is not a list.",
                "reviewers: [\"x[bot]\"]|git[0].api.reviewers[0] cannot be used",
                "reviewers: [acme/team]|git[0].api.reviewers[0] cannot be used",
                "text-commands: 1|git[0].api.text-commands",
                "merge: true|git[0].api.merge is not a known key.",
            })
    void refusesRulesForAnApiThatAreNotExact(String keys, String complaint) {
        refused(APP + "    api: {" + keys + "}\n", "policy.yaml:4", complaint);
    }

    @Test
    void namesFileLineKeyAndRemedy() {
        refused(
                APP + "    push:\n      branchs: []\n",
                "policy.yaml:5: git[0].push.branchs is not a known key.",
                "Known here: branches, force, ");
        refused(
                APP + "    push:\n      branches:\n        - agent/**\n        - refs/heads/main\n",
                "policy.yaml:7: git[0].push.branches[1] cannot be used: a branch is written without",
                "Write it as in \"agent/**\".");
        refused(
                APP + "  - repo: github.com/ACME/App\n    access: read\n",
                "policy.yaml:4: git[1].repo is already listed",
                "policy.yaml:2",
                "Remove one.");
        refused(
                """
                git:
                  - {repo: "github.com/acme/*", access: read}
                  - {repo: github.com/Acme/app, access: write}
                """,
                "policy.yaml:3: git[1].repo has no effect",
                "policy.yaml:2 covers it",
                "Move it before that rule.");
        refused(
                "git: [{repo: github.com/acme/app, access: read, push: {}}]",
                "git[0].push has rules for pushes, but access is read.");
        refused(
                "git: [{repo: github.com/acme/app, access: read, api: {pulls: write}}]",
                "git[0].api.pulls is write, but access is read");
        refused(
                "git: [{repo: git.corp.example/acme/app, access: read}]",
                "git[0].repo is on a host that is not allowed.",
                "Add git.corp.example under hosts:");
    }

    @Test
    void takesHostsThatAreListed() throws IOException {
        String hosts = "hosts: [{name: git.corp.example, kind: gitea}]\n";
        assertThat(only(hosts + "git: [{repo: git.corp.example/a/b, access: read}]").repo().host())
                .hasToString("git.corp.example");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "git:",
                "git: {}",
                "git: text",
                "git: [text]",
                "git: [{}]",
                "git: [{repo: github.com/acme/app}]",
                "git: [{access: read}]",
                "git: [{repo: github.com/acme/app, access: Read}]",
                "git: [{repo: github.com/acme/app, access: admin}]",
                "git: [{repo: github.com/acme/app, access: true}]",
                "git: [{repo: github.com/acme/app, access: read, access: read}]",
                "git: [{repo: github.com/acme/app, access: read, more: 1}]",
                "git: [{repo: acme/app, access: read}]",
                "git: [{repo: GitHub.com/acme/app, access: read}]",
                "git: [{repo: github.com/acme/app.git, access: read}]",
                "git: [{repo: \"github.com/*/*\", access: read}]",
                "git: [{repo: \"*\", access: read}]",
                "git: [{repo: \"github.com/*\", access: read}]",
                "git: [{repo: https://github.com/acme/app, access: read}]",
                "git: [{repo: [github.com/acme/app], access: read}]",
                "git: [{repo: github.com/acme/app, access: read, refs-visible: }]",
                "git: [{repo: github.com/acme/app, access: read, refs-visible: refs/heads/main}]",
                "git: [{repo: github.com/acme/app, access: read, refs-visible: [main]}]",
                "git: [{repo: github.com/acme/app, access: read, refs-visible: [1]}]",
                "git: [{repo: github.com/acme/app, access: read, refs-visible: [[]]}]",
                "git: [{repo: github.com/acme/app, access: write, push: }]",
                "git: [{repo: github.com/acme/app, access: write, push: []}]",
                "git: [{repo: github.com/acme/app, access: write, push: {branches: [**]}}]",
                "git: [{repo: github.com/acme/app, access: write, push: {author: [*@b.example]}}]",
                "git: [{repo: github.com/acme/*, access: read}, {repo: github.com/ACME/*, access: read}]",
            })
    void refusesWhatIsNotPlainAndKnown(String text) {
        refused(text, "policy.yaml");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "branches: agent/**|git[0].push.branches is not a list.",
                "branches: [a, a]|git[0].push.branches[1] is listed twice.",
                "branches: [\"\"]|git[0].push.branches[0] cannot be used",
                "branches: [\"a**\"]|** stands alone",
                "branches: [null]|git[0].push.branches[0] is not text.",
                "branches: [1.0]|git[0].push.branches[0] is not text.",
                "force: yes|git[0].push.force is not true or false. Write true or false.",
                "force: \"true\"|git[0].push.force",
                "force: True|git[0].push.force",
                "force: 1|git[0].push.force",
                "force: |git[0].push.force",
                "force: []|git[0].push.force",
                "delete: on|git[0].push.delete",
                "tags: no|git[0].push.tags",
                "refs-trusted: [changes/**]|a ref is written in full",
                "refs-trusted: refs/changes/**|git[0].push.refs-trusted is not a list.",
                "refs-trusted: [\"refs/**\"]|git[0].push.refs-trusted[0] cannot be used",
                "paths-denied: [/a]|git[0].push.paths-denied[0] cannot be used",
                "paths-denied: [../a]|git[0].push.paths-denied[0] cannot be used",
                "paths-allowed: [\"a/\"]|git[0].push.paths-allowed[0] cannot be used",
                "paths-allowed: src|git[0].push.paths-allowed is not a list.",
                "pack-bytes-max: 0|between 1024 and 1099511627776",
                "pack-bytes-max: 1099511627777|git[0].push.pack-bytes-max is out of range",
                "pack-bytes-max: \"2048\"|git[0].push.pack-bytes-max is not a whole number",
                "pack-bytes-max: 100MB|git[0].push.pack-bytes-max is not a whole number",
                "file-bytes-max: 0|between 1 and 1099511627776",
                "file-bytes-max: -1|git[0].push.file-bytes-max",
                "commits-max: 0|between 1 and 1000000",
                "commits-max: 1000001|git[0].push.commits-max is out of range",
                "secrets: Deny|git[0].push.secrets is not known. Write deny, warn or off.",
                "secrets: false|git[0].push.secrets is not text.",
                "author: me@corp.example|git[0].push.author is not a list.",
                "author: [me]|git[0].push.author[0] cannot be used",
                "author: [\"*\"]|git[0].push.author[0] cannot be used",
                "'force: false, force: true'|git[0].push.force is given twice",
                "refs-visible: []|git[0].push.refs-visible is not a known key.",
            })
    void refusesRulesForPushesThatAreNotExact(String keys, String complaint) {
        refused(APP + "    push: {" + keys + "}\n", "policy.yaml:4", complaint);
    }

    @Test
    void explainsAStarWithoutQuotes() {
        refused(APP + "    push: {author: [*bots]}\n", "put text that begins with * in quotes");
    }

    @Test
    void findsTheFirstRuleThatCoversAllThatIsAskedFor() throws Exception {
        PolicyFile file =
                load(
                        """
                        git:
                          - {repo: github.com/acme/app, access: read}
                          - {repo: github.com/acme/lib, access: write}
                          - {repo: "github.com/acme/*", access: write}
                          - {repo: github.com/other/app, access: read}
                        """);
        assertThat(rule(file, "github.com/ACME/App")).endsWith("policy.yaml:2");
        assertThat(rule(file, "github.com/acme/else")).endsWith("policy.yaml:4");
        assertThat(rule(file, "github.com/acme/*")).endsWith("policy.yaml:4");
        assertThat(rule(file, "github.com/other/*")).isEqualTo("none");
        assertThat(rule(file, "github.com/third/app")).isEqualTo("none");
        assertThat(file.rulesWithin(RepoPattern.parse("github.com/Acme/*")))
                .extracting(rule -> rule.grant().repo().text())
                .containsExactly("github.com/acme/app", "github.com/acme/lib");
        assertThat(file.rulesWithin(RepoPattern.parse("github.com/third/*"))).isEmpty();
    }

    private static String rule(PolicyFile file, String repo) throws MalformedNameException {
        return file.rule(RepoPattern.parse(repo)).map(GitRule::place).orElse("none");
    }
}
