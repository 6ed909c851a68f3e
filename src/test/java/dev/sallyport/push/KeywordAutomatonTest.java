package dev.sallyport.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
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
