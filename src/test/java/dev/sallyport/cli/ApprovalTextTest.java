package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.approval.Question;
import dev.sallyport.control.ApprovalsApi;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What a person reads before they answer.
final class ApprovalTextTest {
    private static final String ALARM = "! The body or a field is NOT shown as a whole.";

    private static List<String> lines(boolean complete) {
        Instant now = Instant.parse("2026-01-31T12:00:00Z");
        Question question =
                new Question(
                        "web",
                        "a.example",
                        "POST https://a.example/x",
                        List.of("rule"),
                        "c0ffee",
                        4,
                        Question.Detail.of(
                                new Question.Request(
                                        "",
                                        "POST",
                                        "https://a.example/x",
                                        List.of("x-word: seen"),
                                        "1",
                                        "text",
                                        complete)));
        ApprovalsApi.ApprovalView view =
                new ApprovalsApi.ApprovalView(
                        "k3f9x2mqa2",
                        "box",
                        "abc",
                        "web",
                        "a.example",
                        question.summary(),
                        question.reasons(),
                        question.digest("abc"),
                        now.toString(),
                        now.plusSeconds(60).toString());
        return ApprovalText.lines(new ApprovalsApi.Approval(view, question), now);
    }

    /// However short it is: bytes are not what is shown.
    @Test
    void g6_aRequestThatIsNotShownAsAWholeSaysSoBeforeItsBody() {
        assertThat(lines(true)).contains("x-word: seen", "text").doesNotContain(ALARM);
        assertThat(lines(false)).containsSubsequence(ALARM, "text");
    }
}
