package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.github.FakeGithub;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Debian's gh inside a sandbox, unmodified and without a token.
class GithubClientsIT {
    private static GithubRig rig;

    @BeforeAll
    static void start() throws IOException {
        rig = new GithubRig();
        rig.checkOut();
    }

    @AfterAll
    static void stop() {
        rig.close();
    }

    private static Command.Result gh(String arguments) {
        Command.Result result = rig.inside("cd ~/work && gh " + arguments);
        GithubRig.assertHarmless(result.all());
        return result;
    }

    @Test
    void ghIsLoggedInWithoutALogin() {
        Command.Result status = gh("auth status");
        assertThat(status.exit()).as(status.all()).isZero();
        assertThat(status.all()).contains("Logged in to github.com").doesNotContain("error");
    }

    @Test
    void ghSetsGitUpWithoutHarm() {
        gh("auth setup-git").ok();
        rig.inside("cd ~ && rm -rf again && git clone -q https://github.com/acme/app again").ok();
        rig.inside("cd ~ && rm -rf third && gh repo clone acme/app third && git -C third status")
                .ok();
    }

    @Test
    void ghReadsPullRequests() {
        assertThat(gh("pr list").ok()).contains("A feature").contains("Earlier work");
        assertThat(gh("pr list --author bob").ok()).contains("A feature").doesNotContain("Earlier");
        assertThat(gh("pr view 2").ok()).contains("A feature").contains("Please review.");
        assertThat(gh("pr view 2 --comments").ok()).contains("Hm.");
        assertThat(gh("pr view 3 --json title,headRepository,headRepositoryOwner,files").ok())
                .contains("From a fork")
                .contains("patch.txt");
        assertThat(gh("pr diff 2").ok()).contains("+by bob");
        assertThat(gh("pr checks 4").all()).contains("build").contains("pass");
        assertThat(gh("pr checks 2").all()).contains("build").contains("fail");
        assertThat(gh("pr status").ok()).contains("Relevant pull requests in acme/app");
        assertThat(gh("repo view").ok()).contains("What people work on");
    }

    /// gh names its fields itself when none is given.
    @Test
    void ghShowsEveryFieldItKnows() {
        String all =
                """
                fields() { gh "$@" --json 2>&1 | sed -n 's/^  //p' | paste -sd, ; }
                cd ~/work
                gh pr view 2 --json "$(fields pr view)" && gh pr list --json "$(fields pr list)" && gh issue view 1 --json "$(fields issue view)" \\
                  && gh repo view --json "$(fields repo view)" && gh run list --json "$(fields run list)"
                """;
        String said = rig.inside(all).ok();

        assertThat(said)
                .contains("A feature")
                .contains("It is broken")
                .contains("viewerPermission");
        GithubRig.assertHarmless(said);
    }

    @Test
    void ghReadsIssuesAndCommentsOnThem() {
        assertThat(gh("issue list").ok()).contains("It is broken");
        assertThat(gh("issue list --label bug").ok()).contains("It is broken");
        assertThat(gh("issue view 1").ok()).contains("Since yesterday.");
        assertThat(gh("issue view 1 --comments").ok()).contains("I can see it, too.");
        assertThat(gh("issue comment 1 --body 'It will be mended.'").ok())
                .contains("#issuecomment-");
        assertThat(gh("issue view 1 --json comments").ok()).contains("It will be mended.");
    }

    /// As agents do who answer a review: gh has no command of its own for it.
    @Test
    void ghRepliesToAReviewOfItsOwnPullRequestAndToNoOther() {
        String ours = comment(4);
        String theirs = comment(2);
        String thread = thread(4);
        gh("api repos/acme/app/pulls/4/comments/" + ours + "/replies -f body='It is.'").ok();
        gh("api repos/acme/app/pulls/4/comments -f body='For now.' -F in_reply_to=" + ours).ok();
        gh("api graphql -f id=" + thread + " -f body='Until May.' -f query='" + REPLY + "'").ok();
        assertThat(gh("api repos/acme/app/pulls/4/comments --jq .[].body").ok().lines())
                .contains("It is.", "For now.", "Until May.");

        GithubRig.Moment before = rig.now();
        for (String refused :
                List.of(
                        "repos/acme/app/pulls/2/comments/" + theirs + "/replies",
                        "repos/acme/app/pulls/4/comments/" + theirs + "/replies",
                        "repos/acme/app/pulls/4/comments -F in_reply_to=" + theirs,
                        "graphql -f id=" + thread(2) + " -f query='" + REPLY + "'")) {
            Command.Result result = gh("api -f body=No " + refused);
            assertThat(result.exit()).as(refused).isNotZero();
            assertThat(result.err()).contains("Sallyport: ");
        }
        assertThat(rig.now().changes()).isEqualTo(before.changes());
        rig.assertNoWriteSince(before);
    }

    private static final String REPLY =
            "mutation($id:ID!,$body:String!){addPullRequestReviewThreadReply(input:{pullRequestReviewThreadId:$id,body:$body}){comment{id}}}";

    private static String comment(int pull) {
        return gh("api repos/acme/app/pulls/" + pull + "/comments --jq .[0].id").ok();
    }

    private static String thread(int pull) {
        return gh("api graphql -F number="
                        + pull
                        + " -f query='query($number:Int!){repository(owner:\"acme\",name:\"app\"){pullRequest(number:$number){reviewThreads(first:1){nodes{id}}}}}'"
                        + " --jq .data.repository.pullRequest.reviewThreads.nodes[0].id")
                .ok();
    }

    @Test
    void ghReadsRunsAndTheirLogs() {
        long run = rig.github().run("acme", "app", "main");
        assertThat(gh("run list").ok()).contains("Work on main");
        assertThat(gh("run view " + run).ok()).contains("build");
        assertThat(gh("run view --log " + run).ok()).contains("all is well");
        assertThat(
                        gh("run download "
                                        + run
                                        + " --dir ~/artifact && cat ~/artifact/report/build/1_test.txt")
                                .all())
                .contains("all is well");
    }

    @Test
    void ghAsksTheApiAndTurnsPages() {
        assertThat(gh("api repos/acme/app/pulls/4 --jq .title").ok()).isEqualTo("Earlier work");
        assertThat(
                        gh("api 'repos/acme/app/pulls?state=all&per_page=1' --paginate --jq '.[].number'")
                                .ok()
                                .lines())
                .contains("2", "3", "4");
        assertThat(gh("api 'repos/acme/app/branches/bob%2Ffeature' --jq .name").ok())
                .isEqualTo("bob/feature");
        assertThat(gh("api graphql -f query='{viewer{login}}'").ok()).contains("login");
    }

    /// With a reason that whoever asked can act on, and without a change.
    @Test
    void ghSaysWhyWhenItIsRefused() {
        String refusals =
                """
                pr merge 4 --merge | cannot merge
                pr merge 4 --auto --squash | cannot merge
                pr review 4 --approve | event takes one of [COMMENT] (not available to sandboxes, which cannot merge or approve
                pr review 4 --request-changes --body No. | event takes one of [COMMENT]
                pr review 2 --comment --body Hm. | does not come from a branch of github.com/acme/app that this sandbox may push
                pr close 2 | does not come from a branch
                pr comment 4 --body /merge | begins like a command to a bot
                pr comment 4 --body 'Dear @mallory' | only listed reviewers can be mentioned
                pr comment 4 --edit-last --body Other. | 'updateIssueComment' doesn't exist
                issue close 1 | 'closeIssue' doesn't exist
                issue edit 1 --title Other | 'updateIssue' doesn't exist
                run rerun RUN | rerun is not allowed; allowed with github.com/acme/app: repository-read
                run cancel RUN | no sandbox can be allowed this operation
                workflow run 7001 | no sandbox can be allowed this operation
                release create v9 --notes x | no sandbox can be allowed this operation
                repo fork | no sandbox can be allowed this operation
                secret list | no sandbox can be allowed this operation
                gist list | 'gists' doesn't exist on type 'User' (not available to sandboxes
                repo list | 'repositories' doesn't exist on type 'User' (not available to sandboxes
                search prs feature | a search names one repository
                search repos app | not part of the API that sandboxes can use
                status | Sallyport: this
                pr list -R other/secret | Could not resolve to a Repository
                """
                        .replace("RUN", Long.toString(rig.github().run("acme", "app", "main")));
        gh("pr comment 4 --body 'A comment.'").ok();
        GithubRig.Moment before = rig.now();
        refusals.lines().forEach(GithubClientsIT::assertRefused);
        assertThat(rig.now().changes()).isEqualTo(before.changes());
        assertThat(rig.now().refs()).isEqualTo(before.refs());
        rig.assertNoWriteSince(before);
        // Of these gh sends something allowed besides.
        assertRefused("pr edit 4 --add-label bug | 'addLabelsToLabelable' doesn't exist");
        assertRefused(
                "pr edit 4 --add-reviewer mallory | only these can be asked for a review: bob");
    }

    /// @param line a command, and what gh says then
    private static void assertRefused(String line) {
        String[] parts = line.split(" \\| ", 2);
        Command.Result refused = gh(parts[0] + " < /dev/null");
        assertThat(refused.exit()).as(line).isNotZero();
        assertThat(refused.err().replace("\\", "")).as(line).contains(parts[1]);
        boolean hidden = parts[0].contains("other/secret");
        assertThat(refused.err().contains("Sallyport: ")).as(line).isNotEqualTo(hidden);
    }

    /// Forms of commands that people use every day, and that have nothing to ask anybody.
    @Test
    void ghTakesTheUsualOptions() {
        rig.branch("agent/usual");
        assertThat(
                        gh("pr create --fill --base main --draft --reviewer bob --head agent/usual")
                                .ok())
                .contains("/pull/");
        assertThat(gh("pr create --fill").err()).contains("already exists");
        assertThat(gh("pr view --json isDraft,title --jq .title").ok()).isEqualTo("work");
        gh("pr edit --body-file new.txt --remove-reviewer bob").ok();
        assertThat(gh("pr view --json body --jq .body").ok()).isEqualTo("agent/usual");
        gh("pr ready && gh pr ready --undo").ok();
        gh("pr review --comment --body 'Please look at the name.'").ok();
        assertThat(gh("pr view --comments").ok()).contains("Please look at the name.");
        assertThat(gh("pr checks --watch --interval 1 4").ok()).contains("build");
        gh("pr close agent/usual --comment 'Not now.' && gh pr reopen agent/usual").ok();
        assertThat(gh("pr list --search usual --state all --json state --jq .[].state").ok())
                .isEmpty();
        gh("pr checkout 3 && git checkout -q agent/usual").ok();
        gh("pr checkout 2 && git checkout -q agent/usual").ok();
        assertThat(gh("issue create --title Found --body 'By an agent.'").ok())
                .contains("/issues/");
        assertThat(gh("issue status").ok()).contains("Relevant issues in acme/app");
        assertThat(gh("label list").ok()).contains("bug");
        gh("release list").ok();
        assertThat(gh("browse --no-browser new.txt").ok()).contains("/acme/app/");
        assertThat(gh("search issues broken --repo acme/app").ok()).contains("It is broken");
        long run = rig.github().run("acme", "app", "main");
        assertThat(gh("run watch " + run).ok()).contains("has already completed");
        assertThat(gh("workflow view 7001").ok()).contains("Total runs");
    }

    /// The whole way of an agent, and then a search for what it must not hold.
    @Test
    void P1_ghGoesFromACloneToAReviewedPullRequestWithoutAToken() throws IOException {
        String pair = "x-access-token:" + FakeGithub.TOKEN;
        Path needles =
                Files.writeString(
                        rig.sallyport().workspace().resolve("needles"),
                        FakeGithub.TOKEN
                                + "\n"
                                + encoded(FakeGithub.TOKEN)
                                + "\n"
                                + encoded(pair)
                                + "\n");
        Command.Result result =
                rig.inside(
                        """
                        set -e; trap 'tail -c 4000 ~/trace >&2' ERR; cd ~; rm -rf way; export GH_DEBUG=api GIT_TRACE_CURL=1
                        gh repo clone acme/app way > trace 2>&1; cd way
                        git checkout -q -b agent/way; echo mended > way.txt; git add -A; git commit -qm 'Mend it'
                        git push -u origin agent/way >> ../trace 2>&1
                        gh pr create --title 'Mend it' --body 'It was broken.' --draft --reviewer bob > ../url 2>> ../trace
                        gh pr ready >> ../trace 2>&1
                        gh pr edit --title 'Mend it well' --body 'It was badly broken.' >> ../trace 2>&1
                        gh pr comment --body 'All tests pass.' >> ../trace 2>&1
                        gh pr view >> ../trace 2>&1
                        env > ../environment; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline > ../processes 2>/dev/null || true
                        grep -raFl -f %s ~ /etc /tmp /run /var 2>/dev/null || true
                        cat ../url
                        """
                                .formatted(needles));
        Files.delete(needles);

        List<String> said = result.ok().lines().toList();
        assertThat(said).as("the search finds its own words, and nothing else").hasSize(2);
        assertThat(said.getFirst()).isEqualTo(needles.toString());
        assertThat(said.getLast()).matches("https://github.com/acme/app/pull/\\d+");
        String number = said.getLast().replaceFirst(".*/", "");
        assertThat(
                        gh("pr view "
                                        + number
                                        + " --json title,body,isDraft,headRefName,reviewRequests")
                                .ok())
                .contains("Mend it well")
                .contains("It was badly broken.")
                .contains("\"isDraft\":false")
                .contains("agent/way")
                .contains("bob");
        assertThat(GitServer.git(rig.github().bare("acme/app"), "show", "agent/way:way.txt"))
                .isEqualTo("mended");
        assertThat(Files.readString(rig.github().git().caFile().resolveSibling("access.log")))
                .as("control: the token was used all the while")
                .contains(encoded(pair));
    }

    private static String encoded(String text) {
        return Base64.getEncoder()
                .encodeToString(text.getBytes(StandardCharsets.UTF_8))
                .replace("=", "");
    }
}
