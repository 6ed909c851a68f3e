package dev.sallyport.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class KeywordAutomatonTest {
    private static List<String> read(List<List<String>> keywords, String text) {
        KeywordAutomaton automaton = KeywordAutomaton.of(keywords);
        List<String> found = new ArrayList<>();
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        int state = KeywordAutomaton.start();
        for (int i = 0; i < bytes.length; i++) {
            state =
                    automaton.read(
                            state, bytes, i, i + 1, (owner, end) -> found.add(owner + "@" + end));
        }
        return found;
    }

    @Test
    void findsKeywordsInsideEachOtherAndInAnyCase() {
        assertThat(read(List.of(List.of("he", "hers"), List.of("SHE", "he")), "usHERs"))
                .containsExactlyInAnyOrder("0@4", "1@4", "0@6");
    }

    @Test
    void agreesWithSearchingForEachKeyword() {
        Random random = new Random(11);
        for (int round = 0; round < 300; round++) {
            List<List<String>> keywords = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                keywords.add(List.of(text(random, 1 + random.nextInt(4))));
            }
            String text = text(random, 60);
            assertThat(read(keywords, text))
                    .containsExactlyInAnyOrderElementsOf(expected(keywords, text));
        }
    }

    /// The sieve changes neither what is told nor the state behind any piece.
    @Test
    void tellsTheSameWithAndWithoutItsSieve() {
        List<List<String>> rules =
                SecretScanner.standard().rules().stream().map(SecretRule::keywords).toList();
        List<String> words = rules.stream().flatMap(List::stream).toList();
        Random random = new Random(12);
        KeywordAutomaton real = KeywordAutomaton.of(rules);
        KeywordAutomaton dense =
                KeywordAutomaton.of(List.of(List.of("aab", "abab"), List.of("Bbba", "aaa")));
        for (int round = 0; round < 400; round++) {
            KeywordAutomaton sieved = round % 2 == 0 ? real : dense;
            KeywordAutomaton unsieved = sieved.unsieved();
            byte[] bytes = mixture(random, words).getBytes(StandardCharsets.ISO_8859_1);
            List<String> with = new ArrayList<>();
            List<String> without = new ArrayList<>();
            int state = KeywordAutomaton.start();
            int other = KeywordAutomaton.start();
            for (int from = 0; from < bytes.length; ) {
                int end =
                        Math.min(bytes.length, from + 1 + random.nextInt(1 << random.nextInt(11)));
                state = sieved.read(state, bytes, from, end, (o, at) -> with.add(o + "@" + at));
                other =
                        unsieved.read(
                                other, bytes, from, end, (o, at) -> without.add(o + "@" + at));
                assertThat(state).isEqualTo(other);
                from = end;
            }
            assertThat(with).isEqualTo(without);
        }
    }

    /// The sieve looks at pairs in turns of 32 bytes: no place in a turn, and no end of a piece, is
    /// one where it overlooks a keyword.
    @Test
    void findsEachKeywordWhereverItBegins() {
        List<String> words =
                Stream.concat(
                                SecretScanner.standard().rules().stream()
                                        .flatMap(rule -> rule.keywords().stream()),
                                Stream.of("\u00ff-\u00ff", "\u00e9\u00ff\u00ff\u00e9"))
                        .distinct()
                        .toList();
        KeywordAutomaton automaton = KeywordAutomaton.of(words.stream().map(List::of).toList());
        for (int owner = 0; owner < words.size(); owner++) {
            for (int start = 0; start < 70; start++) {
                assertFindsBetweenBlanks(automaton, words.get(owner), owner, start);
            }
        }
    }

    private static void assertFindsBetweenBlanks(
            KeywordAutomaton automaton, String word, int owner, int start) {
        int expected = start + word.length();
        for (int behind : new int[] {0, 1, 40}) {
            String shown = start % 2 == 0 ? word : upper(word);
            String text = " ".repeat(start) + shown + " ".repeat(behind);
            byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
            List<Integer> ends = new ArrayList<>();
            automaton.read(
                    KeywordAutomaton.start(),
                    bytes,
                    0,
                    bytes.length,
                    (o, end) -> o != owner || ends.add(end));
            assertThat(ends).as(text).containsExactly(expected);
        }
    }

    private static String upper(String word) {
        return word.matches("\\p{ASCII}+") ? word.toUpperCase(Locale.ROOT) : word;
    }

    private static String mixture(Random random, List<String> words) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 60; i++) {
            String word = words.get(random.nextInt(words.size()));
            int cut = random.nextInt(word.length() + 1);
            switch (random.nextInt(5)) {
                case 0 -> text.append(word);
                case 1 -> text.append(word.toUpperCase(Locale.ROOT), 0, cut);
                case 2 -> text.append(word, cut, word.length());
                case 3 -> text.append(text(random, random.nextInt(40)));
                default -> text.append(" another, ".repeat(random.nextInt(5)));
            }
        }
        return text.toString();
    }

    private static List<String> expected(List<List<String>> keywords, String text) {
        List<String> expected = new ArrayList<>();
        for (int owner = 0; owner < keywords.size(); owner++) {
            String keyword = keywords.get(owner).getFirst().toLowerCase(Locale.ROOT);
            for (int end = keyword.length(); end <= text.length(); end++) {
                if (text.substring(0, end).toLowerCase(Locale.ROOT).endsWith(keyword)) {
                    expected.add(owner + "@" + end);
                }
            }
        }
        return expected;
    }

    private static String text(Random random, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append("aAbB\u00e9".charAt(random.nextInt(5)));
        }
        return text.toString();
    }
}
