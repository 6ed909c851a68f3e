package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.approval.Asker;
import dev.sallyport.approval.Outcome;
import dev.sallyport.approval.Question;
import dev.sallyport.channel.Message;
import dev.sallyport.config.Limits;
import dev.sallyport.policy.SessionId;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The gateway believes an answer only to the question that it asked, and waits for few.
final class PendingQuestionsTest {
    private static final SessionId ONE = SessionId.random();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final List<Message> sent = new CopyOnWriteArrayList<>();
    private final PendingQuestions questions =
            new PendingQuestions(clock, sent::add, Limits.standard());

    @AfterEach
    void stop() {
        clock.shutdownNow();
    }

    private static Question question(String url) {
        return new Question(
                "web",
                "a.example",
                "GET " + url,
                List.of(),
                "",
                0,
                Question.Detail.of(new Question.Request("", "GET", url, List.of(), "", "", true)));
    }

    private static Message.Answered yes(Asker.Asked asked, String digest) {
        return new Message.Answered(asked.id(), digest, Outcome.YES, "");
    }

    @Test
    void g6_aYesToAnotherQuestionIsNone() {
        Asker.Asked asked = questions.ask(ONE, question("https://a.example/x"));
        questions.answered(yes(asked, question("https://a.example/y").digest(ONE.value())));

        assertThat(asked.reply().join().outcome().refusal()).isPresent();
    }

    @Test
    void aYesToThisQuestionIsOneAndIsSaidOnce() {
        Question question = question("https://a.example/x");
        Asker.Asked asked = questions.ask(ONE, question);
        assertThat(sent).containsExactly(new Message.Ask(ONE.value(), asked.id(), question));
        questions.answered(yes(asked, question.digest(ONE.value())));

        assertThat(asked.reply().join().outcome()).isEqualTo(Outcome.YES);
        assertThat(sent).as("nothing is taken back").hasSize(1);
    }

    @Test
    void whoDoesNotWaitAnyMoreSaysSo() {
        Asker.Asked asked = questions.ask(ONE, question("https://a.example/x"));
        asked.withdraw();

        assertThat(sent.getLast()).isEqualTo(new Message.Withdraw(ONE.value(), asked.id()));
        questions.answered(yes(asked, question("https://a.example/x").digest(ONE.value())));
        assertThat(asked.reply().isCancelled()).isTrue();
    }

    @Test
    void aSessionHasFewAndLeavesTheOthersRoom() {
        for (int i = 0; i < 4; i++) {
            assertThat(questions.ask(ONE, question("https://a.example/" + i)).id()).isNotEmpty();
        }
        Asker.Asked fifth = questions.ask(ONE, question("https://a.example/5"));
        assertThat(fifth.reply().join().outcome()).isEqualTo(Outcome.TOO_MANY);
        assertThat(sent).hasSize(4);

        assertThat(questions.ask(SessionId.random(), question("https://a.example/")).id())
                .isNotEmpty();
    }

    /// Each would be two lines of the record.
    @Test
    void i17_whoTakesQuestionsBackHasToWaitBeforeTheNext() {
        for (int i = 0; i < 20; i++) {
            Asker.Asked asked = questions.ask(ONE, question("https://a.example/" + i));
            assertThat(asked.id()).isNotEmpty();
            asked.withdraw();
        }
        Asker.Asked next = questions.ask(ONE, question("https://a.example/x"));
        assertThat(next.reply().join().outcome()).isEqualTo(Outcome.TOO_MANY);
        assertThat(sent).hasSize(40);

        assertThat(questions.ask(SessionId.random(), question("https://a.example/")).id())
                .isNotEmpty();
    }
}
