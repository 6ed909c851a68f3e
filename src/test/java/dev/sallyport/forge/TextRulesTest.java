package dev.sallyport.forge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.ApiLevel;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.Refusal;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextRulesTest {
    private static final ApiPermit PERMIT = RestRig.permit(RestRig.ALL, ApiOperation.PULL_COMMENT);

    private static final ApiPermit COMMANDS =
            RestRig.permit(
                    new ApiRules(
                            ApiLevel.READ,
                            ApiLevel.READ,
                            ApiLevel.WRITE,
                            ApiLevel.OFF,
                            false,
                            List.of(),
                            true),
                    ApiOperation.PULL_COMMENT);

    private static Optional<Refusal> body(String text) {
        return TextRules.body(PERMIT, text).map(Objection::reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Fixes the parser.\n\nSee #12 and acme/app#13.",
                "Fixes #12, closes Acme/App#13, resolves https://github.com/acme/app/issues/9",
                "// a comment\n/* another */\n* list\n- item",
                "A path like /etc/passwd in the middle of a line",
                "Bumps actions/checkout@v4 and left-pad@1.3.0",
                "Signed-off-by: A <a@example.com>",
                "Thanks @octocat and @Hubot!",
                "Jenkins builds faster now",
                "> quoted\n> text",
                "See other/repo#5 for context",
                "![image](https://example.com/x.png)",
                "5 @ 3 and a@b",
                "1/2\n\n\n   \n",
                ""
            })
    void ordinaryTextsPass(String text) {
        assertThat(TextRules.body(PERMIT, text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/merge",
                "  /merge",
                "text\n/deploy prod",
                "text\r/deploy",
                "text\u2028/deploy",
                "> /approve",
                ">\t> /approve",
                "\u200b/merge",
                "\u3000/merge",
                "\uff0fmerge",
                "&#47;merge",
                "&sol;merge",
                "x&#10;/merge",
                "/\u200bmerge",
                "bors r+",
                "Jenkins, test this please",
                "ok to test",
                "LGTM",
                "!deploy"
            })
    void g24_noLineBeginsLikeACommand(String text) {
        assertThat(body(text)).contains(Refusal.OPERATION_NOT_ALLOWED);
        assertThat(TextRules.body(COMMANDS, text)).isEmpty();
    }

    /// Names of bots are known to nobody but the repository, so only listed people are mentioned.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "@dependabot merge",
                "hey @claude fix this",
                "(@codex)",
                "`@gemini-code-assist review`",
                "@mergify[bot] queue",
                "@octocat[bot]",
                "@octocat-bot",
                "@acme/maintainers",
                "x\u200b@claude",
                "@\u200bclaude",
                "\uff20claude",
                "&#64;claude",
                "&#x40;claude",
                "&commat;claude",
                "&#000064;claude",
                "\\@claude",
                "x/@claude",
                "_@claude_ please",
                "<div>\n&#64claude fix\n</div>",
                "<div>\n&#x40openai\n</div>",
                "<div>\n&#00000000000000000000000064;claude\n</div>",
                "<div>\n&nbsp@claude\n</div>",
                "<div>\n&AMP@claude\n</div>",
                "<b></b>@claude"
            })
    void g24_nobodyIsMentionedButReviewers(String text) {
        assertThat(body(text)).contains(Refusal.OPERATION_NOT_ALLOWED);
        assertThat(TextRules.body(COMMANDS, text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Fixes other/repo#5",
                "closes: acme/other#5",
                "Resolved https://github.com/acme/other/issues/5",
                "fix\nother/repo#5",
                "Fixes [this](https://github.com/other/app/pull/5)",
                "Fixes #1 and other/repo&#35;5"
            })
    void g24_issuesOfOtherRepositoriesAreNotClosed(String text) {
        assertThat(body(text)).contains(Refusal.OPERATION_NOT_ALLOWED);
        assertThat(TextRules.body(COMMANDS, text)).isPresent();
    }

    @Test
    void noCredentialLeavesInAText() {
        String token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a";
        Optional<Objection> objection = TextRules.body(PERMIT, "see\n" + token + "\n");
        assertThat(objection.map(Objection::reason)).contains(Refusal.SECRET_FOUND);
        assertThat(objection.orElseThrow().message()).contains("line 2").doesNotContain(token);
        assertThat(TextRules.title(PERMIT, "use " + token).map(Objection::reason))
                .contains(Refusal.SECRET_FOUND);
    }

    @Test
    void textsAreBounded() {
        assertThat(TextRules.title(PERMIT, "t".repeat(256))).isEmpty();
        assertThat(TextRules.title(PERMIT, "t".repeat(257))).isPresent();
        assertThat(TextRules.title(PERMIT, "two\nlines")).isPresent();
        assertThat(TextRules.title(PERMIT, " ")).isPresent();
        assertThat(TextRules.body(PERMIT, "b".repeat(65_536))).isEmpty();
        assertThat(TextRules.body(PERMIT, "b".repeat(65_537))).isPresent();
        assertThat(TextRules.body(PERMIT, "nul \0")).isPresent();
        assertThat(TextRules.body(PERMIT, "half \ud800")).isPresent();
    }

    /// Each is as long as a text may be, and made to be read again and again.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\n",
                " ",
                ">",
                "fix ",
                "fix-",
                "a/",
                "a/b#",
                "@",
                "@octocat",
                "&#",
                "&#64;",
                "/*",
                "-",
                "closes a/b"
            })
    void longTextsAreReadInLinearTime(String piece) {
        String text = piece.repeat(65_536 / piece.length());
        assertThat(TextRules.body(PERMIT, text)).isNotNull();
    }

    @Test
    void recordsADigestAndNoWord() {
        assertThat(TextRules.record(PERMIT, "title", "abc"))
                .containsEntry("title-characters", "3")
                .containsEntry(
                        "title-sha256",
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
                .hasSize(2);
    }
}
