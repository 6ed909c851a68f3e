package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.github.FakeGithub;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What cannot be seen by the API from inside a sandbox: other repositories, in every way that
/// leads to them, and credentials. `FakeGithubIT` shows that this GitHub would have told.
class GithubReachIT {
    private static final String APP = "repository(owner:\"acme\",name:\"app\")";

    private static GithubRig rig;

    @BeforeAll
    static void start() throws IOException {
        rig = new GithubRig();
    }

    @AfterAll
    static void stop() {
        rig.close();
    }

    /// The control: the door is open, and for the granted repository it answers.
    @Test
    void answersForTheGrantedRepository() {
        List<String> commands =
                new ArrayList<>(
                        GithubRig.rest(
                                """
                                GET /repos/acme/app
                                GET /repositories/101/pulls/4
                                GET /repos/ACME/App/issues/1
                                """));
        commands.add(GithubRig.graphql("{" + APP + "{pullRequest(number:4){title}}}"));
        String said = rig.inside(String.join("\n", commands)).ok();

        assertThat(said.lines()).hasSize(4).allMatch(line -> line.endsWith(" (200)"));
        assertThat(said).contains("\"acme/app\"").contains("Earlier work").contains("It is broken");
        GithubRig.assertHarmless(said);
    }

    @Test
    void G22_noQueryLeavesTheGrantedRepository() {
        String queries =
                """
                FOREIGN
                a:APP{name} b:FOREIGN
                relay{FOREIGN}
                relay{relay{...f}}} fragment f on Query{FOREIGN
                ...a} fragment a on Query{...b} fragment b on Query{FOREIGN
                viewer{repositories(first:9){nodes{description}}}
                viewer{organizations(first:9){nodes{repositories(first:9){nodes{description}}}}}
                user(login:"mallory"){repositories(first:9){nodes{description}}}
                organization(login:"other"){repositories(first:9){nodes{description}}}
                repositoryOwner(login:"other"){repository(name:"secret"){description}}
                resource(url:"https://github.com/other/secret"){... on Repository{description}}
                APP{owner{repositories(first:9){nodes{description}}}}
                APP{owner{... on Organization{repositories(first:9){nodes{description}}}}}
                APP{forks(first:9){nodes{description}}}
                APP{parent{description}}
                APP{tempCloneToken}
                APP{pullRequest(number:3){headRepository{description tempCloneToken}}}
                APP{pullRequest(number:3){headRepository{object(expression:"main:README.md"){... on Blob{text}}}}}
                APP{pullRequest(number:3){headRef{repository{description}}}}
                APP{pullRequest(number:3){headRepositoryOwner{repositories(first:9){nodes{description}}}}}
                APP{pullRequest(number:2){closingIssuesReferences(first:9){nodes{title body repository{description}}}}}
                APP{pullRequest(number:3){author{... on User{repositories(first:9){nodes{description}}}}}}
                APP{issue(number:1){timelineItems(first:9){nodes{... on CrossReferencedEvent{source{... on Issue{title body}}}}}}}
                APP{issue(number:1){subIssues(first:9){nodes{title}}}}
                APP{defaultBranchRef{repository{owner{repositories(first:9){nodes{description}}}}}}
                APP{assignableUsers(first:9){nodes{issues(first:9){nodes{title}}}}}
                x:search(query:"is:issue",type:ISSUE,first:9){nodes{... on Issue{title body}}}
                search(query:"repo:acme/app repo:other/secret",type:ISSUE,first:9){nodes{... on Issue{title}}}
                search(query:"(repo:acme/app OR user:other)",type:ISSUE_ADVANCED,first:9){nodes{... on Issue{title} ... on PullRequest{title}}}
                search(query:"repo:acme/app",type:REPOSITORY,first:9){nodes{... on Repository{parent{description}}}}
                search(query:"user:other",type:REPOSITORY,first:9){nodes{... on Repository{description}}}
                """;
        List<String> said =
                rig.inVain(
                        GithubRig.queries(
                                queries.replace(
                                                "FOREIGN",
                                                "repository(owner:\"other\",name:\"secret\"){description issue(number:1){title}}")
                                        .replace("APP", APP)));
        assertThat(said).hasSize((int) queries.lines().count());
    }

    @Test
    void G23_anIdOfAnotherRepositoryOpensNothingInEitherForm() {
        FakeGithub github = rig.github();
        GithubRig.Moment before = rig.now();
        List<String> commands = new ArrayList<>();
        for (String id :
                List.of(
                        github.nodeId("other", "secret", 1),
                        github.legacyId("other", "secret", 1),
                        github.nodeId("other", "secret", 2),
                        github.legacyId("other", "secret", 2),
                        github.nodeId("other", "secret", 0),
                        github.misplacedId("other", "secret", 1, FakeGithub.APP_ID))) {
            commands.addAll(
                    GithubRig.queries(
                            """
                            node(id:"ID"){__typename ... on Issue{title} ... on PullRequest{title} ... on Repository{description}}
                            node(id:"ID"){... on Issue{title}}
                            nodes(ids:["ID"]){... on Issue{title}}
                            """
                                    .replace("\"ID\"", "\"" + id + "\"")));
            commands.addAll(
                    GithubRig.mutations(
                            """
                            addComment(input:{subjectId:"ID",body:"hello"}){subject{id}}
                            updatePullRequest(input:{pullRequestId:"ID",title:"t"}){pullRequest{body}}
                            """
                                    .replace("\"ID\"", "\"" + id + "\"")));
        }
        rig.inVain(commands);
        rig.assertNoWriteSince(before);
    }

    @Test
    void G23_aForeignRepositoryIsAsMissingAsOneThatDoesNotExist() {
        GithubRig.Moment before = rig.now();
        List<String> commands =
                new ArrayList<>(
                        GithubRig.rest(
                                """
                                GET /repos/other/secret
                                GET /repos/other/ghost
                                GET /repos/acme/docs/pulls
                                GET /repositories/666
                                GET /repositories/666/issues
                                GET /repositories/999999
                                GET /repos/acme/app/compare/main...mallory:main
                                GET /user/repos
                                GET /orgs/other/repos
                                GET /search/code?q=secret
                                """));
        commands.addAll(
                GithubRig.rest(
                                """
                                GET /repos/acme/app/../../other/secret
                                GET /repos/acme%2Fapp/../other/secret
                                GET /repos/acme/app/%2e%2e/%2e%2e/other/secret
                                """)
                        .stream()
                        .map(command -> command.replaceFirst("curl ", "curl --path-as-is "))
                        .toList());
        List<String> said = rig.inVain(commands);

        assertThat(said).hasSize(13).noneMatch(line -> line.endsWith("(200)"));
        assertThat(said.getFirst()).contains("Not Found").endsWith("(404)");
        assertThat(without(said.get(0))).isEqualTo(without(said.get(1)));
        assertThat(rig.since(before)).noneMatch(seen -> seen.target().contains("secret"));
    }

    /// Ids of denials differ, and so do names that are repeated.
    private static String without(String line) {
        return line.replaceAll("[0-9a-f]{12,}", "ID").replaceAll("secret|ghost", "NAME");
    }

    @Test
    void G23_searchFindsWhatIsGrantedAndNothingElse() {
        rig.inVain(
                GithubRig.rest(
                        """
                        GET /search/issues?q=is:issue
                        GET /search/issues?q=repo:acme/app+repo:other/secret
                        GET /search/repositories?q=user:other
                        """));
        List<String> said =
                rig.inVain(
                        GithubRig.queries(
                                "search(query:\"repo:acme/app is:issue\",type:ISSUE,first:9){nodes{... on Issue{title}}}"));
        assertThat(said.getFirst()).contains("It is broken");
    }

    @Test
    void G23_aRenameIsNotFollowed() {
        GithubRig.Moment before = rig.now();
        rig.inVain(
                List.of(
                        GithubRig.curl("GET", "/repos/acme/moved", "")
                                .replaceFirst("curl ", "curl -L "),
                        GithubRig.graphql(
                                "{repository(owner:\"acme\",name:\"moved\"){nameWithOwner description}}")));

        assertThat(rig.since(before)).noneMatch(seen -> seen.target().contains("666"));
    }

    @Test
    void G19_logsAreNotFetchedFromAHostThatNobodyLists() {
        long run = rig.github().run("acme", "app", "main");
        rig.github().logsAt(FakeGithub.ELSEWHERE);
        try {
            GithubRig.Moment before = rig.now();
            List<String> said =
                    rig.inVain(
                            GithubRig.rest(
                                    """
                                    GET /repos/acme/app/actions/runs/%d/logs
                                    GET /repos/acme/app/actions/jobs/%d/logs
                                    """
                                            .formatted(run, run)));
            assertThat(said)
                    .hasSize(2)
                    .noneMatch(
                            line -> line.endsWith("(200)") || line.contains(FakeGithub.ELSEWHERE));
            assertThat(rig.since(before))
                    .isNotEmpty()
                    .noneMatch(seen -> seen.host().equals(FakeGithub.ELSEWHERE));
        } finally {
            rig.github().logsAt(FakeGithub.LOGS);
        }
    }

    @Test
    void logsComeFromTheStoreWithoutTheTokenAndWithoutItsLink() {
        GithubRig.Moment before = rig.now();
        String path =
                "/repos/acme/app/actions/jobs/" + rig.github().run("acme", "app", "main") + "/logs";
        String said =
                rig.inside(GithubRig.curl("GET", path, "").replaceFirst("curl ", "curl -i -L "))
                        .ok();

        assertThat(said).contains("all is well").endsWith("(200)");
        GithubRig.assertHarmless(said);
        assertThat(rig.since(before))
                .filteredOn(seen -> seen.host().equals(FakeGithub.LOGS))
                .isNotEmpty()
                .allMatch(seen -> seen.authorization().isEmpty());
    }

    @Test
    void P1_E14_aCredentialThatAnAnswerRepeatsDoesNotArrive() {
        rig.github().echo(true);
        try {
            GithubRig.Moment before = rig.now();
            List<String> commands =
                    new ArrayList<>(
                            GithubRig.rest("GET /repos/acme/app\nGET /repos/acme/app/pulls/4"));
            commands.add(GithubRig.graphql("{" + APP + "{description}}"));
            rig.inVain(commands.stream().map(c -> c.replaceFirst("curl ", "curl -i ")).toList());
            assertThat(rig.since(before)).as("it was asked").isNotEmpty();
        } finally {
            rig.github().echo(false);
        }
    }

    @Test
    void E15_whatTheSandboxBringsAsItsOwnTokenIsNotSent() {
        GithubRig.Moment before = rig.now();
        rig.inside(
                        GithubRig.curl("GET", "/repos/acme/app", "")
                                .replaceFirst(
                                        "curl ",
                                        "curl -H 'Authorization: Bearer mine' -H 'Cookie: mine=1' "))
                .ok();

        assertThat(rig.since(before))
                .isNotEmpty()
                .allMatch(seen -> seen.authorization().equals("Bearer " + FakeGithub.TOKEN));
    }
}
