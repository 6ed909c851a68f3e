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
    private final List<String> heard = new ArrayList<>();
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

    static Question question(String url) {
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
                .hasMessageContaining("There is no open question");
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
                .hasMessageContaining("There is no open question");
        assertThatThrownBy(() -> approvals.show("aaaaaaaaaa"))
                .hasMessageContaining("There is no open question");
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
                .hasMessageContaining("There is no open question");
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

    private static String id(int number) {
        StringBuilder id = new StringBuilder();
        Integer.toString(1_000_000_000 + number)
                .chars()
                .forEach(digit -> id.append("abcdefghjk".charAt(digit - '0')));
        return id.toString();
    }

    /// A gateway that was taken over asks and takes back as fast as it can.
    private int flood(String ofSession, int questions) {
        int before = heard.size();
        for (int i = 0; i < questions; i++) {
            String id = id(i);
            approvals.asked(
                    new Message.Ask(ofSession, id, question("https://a.example/x")), gateway);
            approvals.withdrawn(ofSession, id);
        }
        return heard.size() - before;
    }

    @Test
    void aGatewayThatTakesBackWhatItAsksIsHeldUpHere() throws Exception {
        approvals.onAsk((open, _) -> heard.add(open.id()));
        assertThat(flood(session, 50)).as("a burst").isEqualTo(20);
        assertThat(told.getLast().outcome()).isEqualTo(Outcome.TOO_MANY);
        assertThat(record().lines().filter(line -> line.contains("\"approval.ask\""))).hasSize(20);

        ask(ID, "https://a.example/x");
        assertThat(approvals.list().approvals()).as("nothing else is asked either").isEmpty();
        parts.clock.pass(Duration.ofSeconds(10));
        assertThat(flood(session, 50)).as("one more in ten seconds").isEqualTo(1);

        parts.clock.pass(Duration.ofSeconds(10));
        ask(ID, "https://a.example/x");
        approvals.answer(ID, answer("yes", "https://a.example/x"));
        ask("bbbbbbbbbb", "https://a.example/x");
        assertThat(approvals.list().approvals()).as("an answer costs nothing").hasSize(1);
    }

    @Test
    void manySessionsDoNotMakeAFloodEither() throws Exception {
        approvals.onAsk((open, _) -> heard.add(open.id()));
        List<String> all = new ArrayList<>(List.of(session));
        for (int i = 1; i < 7; i++) {
            all.add(parts.create("app" + i, Api.LifeRequest.STANDARD).id().value());
        }
        assertThat(all.stream().mapToInt(each -> flood(each, 30)).sum())
                .as("a hundred, and the first one of each session that comes later")
                .isEqualTo(102);
        parts.clock.pass(Duration.ofSeconds(1));
        assertThat(flood(all.getLast(), 30)).as("one more in a second").isEqualTo(1);

        String quiet = parts.create("quiet", Api.LifeRequest.STANDARD).id().value();
        approvals.asked(new Message.Ask(quiet, ID, question("https://a.example/x")), gateway);
        assertThat(heard).as("whoever takes nothing back can ask").endsWith(ID);
    }

    @Test
    void oneTokenOpensOneQuestion() {
        approvals.onAsk((open, _) -> heard.add(open.id()));
        flood(session, 50);
        parts.clock.pass(Duration.ofSeconds(10));
        heard.clear();
        for (int i = 0; i < 4; i++) {
            ask(id(i), "https://a.example/x");
        }
        assertThat(heard).hasSize(1);
    }

    @Test
    void aGatewayThatDiesAgainAndAgainAsksNoMoreOften() {
        approvals.onAsk((open, _) -> heard.add(open.id()));
        for (int i = 0; i < 50; i++) {
            ask(id(i), "https://a.example/x");
            approvals.over(gateway);
        }
        assertThat(heard).hasSize(20);
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
                .hasMessageContaining("There is no open question");

        assertThat(told).isEmpty();
    }

    @Test
    void aGatewayThatIsOverHearsNothingMore() throws Exception {
        ask(ID, "https://a.example/x");
        approvals.over(_ -> {});
        assertThat(approvals.list().approvals()).hasSize(1);

        approvals.over(gateway);
        assertThatThrownBy(() -> approvals.answer(ID, answer("yes", "https://a.example/x")))
                .hasMessageContaining("There is no open question");
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
