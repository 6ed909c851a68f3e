package dev.sallyport.approval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// A question is answered once, in time, by somebody who was shown exactly it.
final class QuestionsTest {
    private static final Duration NOON = Duration.ofHours(12);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private final Questions questions = new Questions();

    static Question push(String ref, String pack) {
        return new Question(
                "push",
                "git.test.example/acme/app",
                "update " + ref,
                List.of("every push is asked about"),
                pack,
                7,
                Question.Detail.of(
                        new Question.Push(
                                List.of(new Question.Command(ref, "a".repeat(40), "b".repeat(40))),
                                List.of(),
                                List.of(new Question.Commit("b".repeat(40), "A <a@x>", "one")),
                                1,
                                List.of(new Question.Change("a.txt", 1, 0)),
                                1,
                                "+a\n",
                                true)));
    }

    private static OpenQuestion open(String id, String session) {
        Question question = push("refs/heads/agent/x", "c0ffee");
        return new OpenQuestion(
                id,
                session,
                question,
                question.digest(session),
                Instant.EPOCH,
                MINUTE,
                NOON.plus(MINUTE));
    }

    @Test
    void thereAreNoMoreOfASessionAndInAllThanMayBe() {
        assertThat(questions.add(open("aaaaaaaaaa", "one"), 2, 3)).isTrue();
        assertThat(questions.add(open("bbbbbbbbbb", "one"), 2, 3)).isTrue();
        assertThat(questions.add(open("cccccccccc", "one"), 2, 3)).isFalse();
        assertThat(questions.add(open("dddddddddd", "two"), 2, 3)).isTrue();
        assertThat(questions.add(open("eeeeeeeeee", "three"), 2, 3)).isFalse();

        assertThat(questions.all())
                .extracting(OpenQuestion::id)
                .containsExactly("aaaaaaaaaa", "bbbbbbbbbb", "dddddddddd");
    }

    @Test
    void anIdThatIsThereIsNotTakenAgain() {
        assertThat(questions.add(open("aaaaaaaaaa", "one"), 9, 9)).isTrue();
        assertThat(questions.add(open("aaaaaaaaaa", "two"), 9, 9)).isFalse();

        assertThat(questions.find("aaaaaaaaaa", NOON).orElseThrow().session()).isEqualTo("one");
    }

    @Test
    void afterItsTimeItIsThereForNobody() {
        questions.add(open("aaaaaaaaaa", "one"), 9, 9);

        assertThat(questions.find("aaaaaaaaaa", NOON.plusSeconds(59))).isPresent();
        assertThat(questions.find("aaaaaaaaaa", NOON.plusSeconds(60))).isEmpty();
        assertThat(questions.due(NOON.plusSeconds(60))).hasSize(1);
    }

    @Test
    void whatIsRemovedIsRemovedOnce() {
        OpenQuestion asked = open("aaaaaaaaaa", "one");
        questions.add(asked, 9, 9);

        assertThat(questions.remove(asked)).isTrue();
        assertThat(questions.remove(asked)).isFalse();
        assertThat(questions.find("aaaaaaaaaa", NOON)).isEmpty();
    }

    @Test
    void everyPartOfAQuestionIsInItsDigest() {
        Set<String> digests = new TreeSet<>();
        List<Question> different = new ArrayList<>();
        different.add(push("refs/heads/agent/x", "c0ffee"));
        different.add(push("refs/heads/agent/y", "c0ffee"));
        different.add(push("refs/heads/agent/x", "c0ffef"));
        different.add(request("GET", "https://a/x", List.of(), "1", ""));
        different.add(request("PUT", "https://a/x", List.of(), "1", ""));
        different.add(request("GET", "https://a/y", List.of(), "1", ""));
        different.add(request("GET", "https://a/x", List.of("a: b"), "1", ""));
        different.add(request("GET", "https://a/x", List.of(), "2", ""));
        different.add(request("GET", "https://a/x", List.of(), "1", "text"));
        different.add(
                new Question(
                        "web",
                        "a",
                        "asks",
                        List.of(),
                        "",
                        0,
                        Question.Detail.of(
                                new Question.Request(
                                        "", "GET", "https://a/x", List.of(), "1", "", false))));
        different.forEach(question -> digests.add(question.digest("one")));
        digests.add(different.getFirst().digest("two"));

        assertThat(digests).hasSize(different.size() + 1);
    }

    private static Question request(
            String method, String url, List<String> fields, String address, String text) {
        return new Question(
                "web",
                "a",
                "asks",
                List.of(),
                "",
                0,
                Question.Detail.of(
                        new Question.Request("", method, url, fields, address, text, true)));
    }

    @Test
    void whatIsTooLongIsNoQuestion() {
        String line = "x".repeat(Question.LINE_CHARACTERS_MAX + 1);
        assertThatThrownBy(() -> push(line, "c0ffee")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () ->
                                request(
                                        "GET",
                                        "u".repeat(Question.URL_CHARACTERS_MAX + 1),
                                        List.of(),
                                        "",
                                        ""))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatNobodySeesIsWrittenOut() {
        String hidden = "if (ok)\u202E { }\u001b[2J\tend\n";

        assertThat(ShownText.of(hidden, 100)).isEqualTo("if (ok)<U+202E> { }<U+001B>[2J\tend\n");
        assertThat(ShownText.of("é\uD83D\uDE00x", 2)).isEqualTo("é");
        assertThat(ShownText.line("a\nb", 10)).isEqualTo("a b");
        assertThat(ShownText.line("x".repeat(600)))
                .hasSize(Question.LINE_CHARACTERS_MAX)
                .endsWith("…");
    }

    /// Code can be written in them, and a reader sees nothing.
    @Test
    void lettersThatLookLikeNothingAreWrittenOut() {
        int[] empty = {
            0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180F, 0x2800, 0x3164, 0xFFA0, 0xFE00,
            0xFE0F, 0xE0001, 0xE0100, 0xE01EF
        };
        for (int point : empty) {
            assertThat(ShownText.of(Character.toString(point), 20))
                    .isEqualTo("<U+%04X>".formatted(point));
        }
        String seen = "aé漢字 한글 ไทย 😀 ⠿ ́ \u3000";
        assertThat(ShownText.of(seen, 100)).isEqualTo(seen);
    }

    @Test
    void aLineThatGrowsBeyondItsRoomIsMarkedAsCut() {
        assertThat(ShownText.line("a\u200Bb", 10)).isEqualTo("a<U+200B>b");
        assertThat(ShownText.line("a\u200Bbc", 10)).isEqualTo("a<U+200B>…");
        assertThat(ShownText.line("\u200B\u200Bevil", 10)).isEqualTo("<U+200B>…");
    }

    @Test
    void whatDoesNotFitIsNoticedWhereverItIsCut() {
        assertThat(ShownText.fits("a\u200B", 9)).isTrue();
        for (int room = 1; room < 9; room++) {
            assertThat(ShownText.fits("a\u200B", room)).as("%d", room).isFalse();
        }
        assertThat(ShownText.fits(Character.toString(0x10FFFF), 9)).isFalse();
        assertThat(ShownText.fits(Character.toString(0x10FFFF), 10)).isTrue();
    }

    @Test
    void anAnswerHasOneLineAndSaysWho() {
        assertThatThrownBy(() -> new Answer(true, "d", "", "cli", ""))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Answer(true, "d", "me", "cli", "a\u001b[2J"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(new Answer(false, "d", "me", "cli", "no").outcome()).isEqualTo(Outcome.NO);
    }
}
