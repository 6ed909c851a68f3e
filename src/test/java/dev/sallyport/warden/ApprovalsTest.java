package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.approval.Outcome;
import dev.sallyport.approval.Question;
import dev.sallyport.channel.Message;
import dev.sallyport.control.Api;
import dev.sallyport.control.ApprovalsApi;
import dev.sallyport.session.Session;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who may answer what, once and until when (G6). A gateway is told yes only after it is recorded.
final class ApprovalsTest {
    private static final String ID = "k3f9x2mqab";

    @TempDir Path dir;
    private WardenParts parts;
    private Approvals approvals;
    private String session = "";
    private final List<Message.Answered> told = new ArrayList<>();
    private final Approvals.Asker gateway = message -> told.add((Message.Answered) message);

    @BeforeEach
    void start() throws Exception {
        parts = new WardenParts(dir);
        approvals = parts.approvals;
        Session made = parts.create("app", Api.LifeRequest.STANDARD);
        session = made.id().value();
    }

    @AfterEach
    void stop() throws Exception {
        parts.close();
    }

    private static Question question(String url) {
        return new Question(
                "web",
                "a.example",
                "GET " + url,
                List.of("rule"),
                "c0ffee",
                0,
                Question.Detail.of(
                        new Question.Request("", "GET", url, List.of(), "address", "", true)));
    }

    private void ask(String id, String url) {
        approvals.asked(new Message.Ask(session, id, question(url)), gateway);
    }

    private ApprovalsApi.AnswerApproval answer(String answer, String url) {
        return new ApprovalsApi.AnswerApproval(
                answer, question(url).digest(session), "ada", "cli", "");
    }

    private String record() throws Exception {
        return Files.readString(parts.home.auditLog());
    }

    @Test
    void aYesIsRecordedAndReachesTheGatewayWithTheDigest() throws Exception {
        ask(ID, "https://a.example/x");
        assertThat(record()).contains("\"approval.ask\"", ID);
        assertThat(told).isEmpty();

        approvals.answer(ID, answer("yes", "https://a.example/x"));
        String digest = question("https://a.example/x").digest(session);
        assertThat(told).containsExactly(new Message.Answered(ID, digest, Outcome.YES, ""));
        assertThat(record()).contains("\"approval.answer\"", "\"who\":\"ada\"", "\"how\":\"cli\"");
        assertThat(approvals.list().approvals()).isEmpty();
    }

    @Test
    void g6_anAnswerIsGoodOnce() throws Exception {
        ask(ID, "https://a.example/x");
        approvals.answer(ID, answer("no", "https://a.example/x"));

        assertThatThrownBy(() -> approvals.answer(ID, answer("yes", "https://a.example/x")))
                .isInstanceOf(OperationException.class)
                .hasMessageContaining("Nobody waits");
        assertThat(told).extracting(Message.Answered::outcome).containsExactly(Outcome.NO);
    }

    @Test
    void g6_anAnswerToWhatWasNotShownIsNone() throws Exception {
        ask(ID, "https://a.example/x");

        assertThatThrownBy(() -> approvals.answer(ID, answer("yes", "https://a.example/y")))
                .isInstanceOf(OperationException.class)
                .hasMessageContaining("another question");
        assertThat(told).isEmpty();
        assertThat(record()).doesNotContain("approval.answer");
        assertThat(approvals.list().approvals()).hasSize(1);
    }

    @Test
    void g6_aGuessedIdLeadsNowhere() {
        ask(ID, "https://a.example/x");

        assertThatThrownBy(
                        () -> approvals.answer("aaaaaaaaaa", answer("yes", "https://a.example/x")))
                .hasMessageContaining("Nobody waits");
        assertThatThrownBy(() -> approvals.show("aaaaaaaaaa")).hasMessageContaining("Nobody waits");
        assertThat(told).isEmpty();
    }

    @Test
    void g6_afterItsTimeTheAnswerIsNo() throws Exception {
        ask(ID, "https://a.example/x");
        parts.clock.pass(Duration.ofSeconds(299));
        approvals.expire();
        assertThat(told).isEmpty();

        parts.clock.pass(Duration.ofSeconds(1));
        assertThatThrownBy(() -> approvals.answer(ID, answer("yes", "https://a.example/x")))
                .hasMessageContaining("Nobody waits");
        assertThat(approvals.list().approvals()).isEmpty();
        approvals.expire();
        assertThat(told).extracting(Message.Answered::outcome).containsExactly(Outcome.EXPIRED);
        assertThat(record()).contains("\"how\":\"expired\"").doesNotContain("\"answer\":\"yes\"");
    }

    @Test
    void noMoreAreOpenThanMayBe() {
        for (char c = 'a'; c < 'f'; c++) {
            ask(Character.toString(c).repeat(10), "https://a.example/" + c);
        }

        assertThat(approvals.list().approvals()).hasSize(4);
        assertThat(told).extracting(Message.Answered::outcome).containsExactly(Outcome.TOO_MANY);
    }

    @Test
    void aGatewaySpeaksForAttachedSessionsOnly() throws Exception {
        approvals.asked(
                new Message.Ask("0123456789abcdef", ID, question("https://a.example/x")), gateway);

        assertThat(told).extracting(Message.Answered::outcome).containsExactly(Outcome.WITHDRAWN);
        assertThat(approvals.list().approvals()).isEmpty();
        assertThat(record()).doesNotContain("approval.ask");
    }

    @Test
    void whatEndsTakesItsQuestionsAlong() throws Exception {
        ask(ID, "https://a.example/x");
        parts.sandboxes.end("app");
        assertThat(approvals.list().approvals()).isEmpty();
        assertThatThrownBy(() -> approvals.answer(ID, answer("yes", "https://a.example/x")))
                .hasMessageContaining("Nobody waits");

        assertThat(told).isEmpty();
    }

    @Test
    void aGatewayThatIsOverHearsNothingMore() throws Exception {
        ask(ID, "https://a.example/x");
        approvals.over(_ -> {});
        assertThat(approvals.list().approvals()).hasSize(1);

        approvals.over(gateway);
        assertThatThrownBy(() -> approvals.answer(ID, answer("yes", "https://a.example/x")))
                .hasMessageContaining("Nobody waits");
        assertThat(told).noneMatch(message -> message.outcome() == Outcome.YES);
        assertThat(record()).contains("\"how\":\"withdrawn\"");
    }

    @Test
    void aSessionTakesBackItsOwnQuestionsOnly() {
        ask(ID, "https://a.example/x");
        approvals.withdrawn("0123456789abcdef", ID);
        assertThat(approvals.list().approvals()).hasSize(1);

        approvals.withdrawn(session, ID);
        assertThat(approvals.list().approvals()).isEmpty();
    }

    @Test
    void whatCannotBeRecordedIsNeitherAskedNorAnswered() throws Exception {
        ask(ID, "https://a.example/x");
        parts.audit.close();

        assertThatThrownBy(() -> approvals.answer(ID, answer("yes", "https://a.example/x")))
                .isInstanceOf(OperationException.class);
        assertThat(told).isEmpty();
        ask("bbbbbbbbbb", "https://a.example/y");
        assertThat(told)
                .extracting(Message.Answered::outcome)
                .containsExactly(Outcome.NOT_RECORDED);
    }
}
