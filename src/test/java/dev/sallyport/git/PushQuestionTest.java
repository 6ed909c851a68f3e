package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.approval.Question;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Why a person is asked about a push, as they see it.
class PushQuestionTest {
    private static List<String> reasons(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(i -> "reason " + i).toList();
    }

    @Test
    void allReasonsAreShownThatFit() {
        List<String> all = reasons(Question.REASONS_MAX);
        assertThat(PushQuestion.shown(all)).isEqualTo(all);
    }

    @Test
    void whatDoesNotFitIsCounted() {
        List<String> shown = PushQuestion.shown(reasons(Question.REASONS_MAX + 5));
        assertThat(shown)
                .hasSize(Question.REASONS_MAX)
                .startsWith("reason 1")
                .endsWith("reason " + (Question.REASONS_MAX - 1), "and 6 more reasons");
    }
}
