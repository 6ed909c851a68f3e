package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {
    private static final int ROUNDS = 20_000;

    private static List<String> parts(String text) {
        return List.of(text.split("/", -1));
    }

    /// Every short pattern and name against the regular expression that says the same.
    @Test
    void agreesWithTheRegularExpressionOfTheSamePattern() {
        Random random = new Random(7);
        for (int i = 0; i < ROUNDS; i++) {
            String pattern = pick(random, List.of("a", "b", "*", "**", "a*", "*b", "a*b"));
            String name = pick(random, List.of("a", "b", "ab", "aab", "abb", "c"));
            for (int anyMin : new int[] {0, 1}) {
                assertThat(Glob.covers(parts(pattern), parts(name), anyMin))
                        .as(pattern + " " + name + " " + anyMin)
                        .isEqualTo(regex(parts(pattern), anyMin).matcher(name + "/").matches());
            }
        }
    }

    @Test
    void leadsThroughWhatAnyBeginningOfThePatternCovers() {
        Random random = new Random(8);
        for (int i = 0; i < ROUNDS; i++) {
            List<String> pattern = parts(pick(random, List.of("a", "b", "*", "**", "a*")));
            List<String> name = parts(pick(random, List.of("a", "b", "ab")));
            boolean some =
                    IntStream.rangeClosed(0, pattern.size())
                            .anyMatch(n -> Glob.covers(pattern.subList(0, n), name, 0));
            assertThat(Glob.leadsThrough(pattern, name, 0))
                    .as(pattern + " " + name)
                    .isEqualTo(some);
        }
    }

    private static String pick(Random random, List<String> components) {
        return IntStream.rangeClosed(0, random.nextInt(4))
                .mapToObj(_ -> components.get(random.nextInt(components.size())))
                .collect(Collectors.joining("/"));
    }

    private static Pattern regex(List<String> pattern, int anyMin) {
        String any = anyMin == 0 ? "(?:[^/]*/)*" : "(?:[^/]*/)+";
        return Pattern.compile(
                pattern.stream()
                        .map(c -> c.equals("**") ? any : c.replace("*", "[^/]*") + "/")
                        .collect(Collectors.joining()));
    }

    @ParameterizedTest
    @CsvSource({
        "'', '', true",
        "*, '', true",
        "a, '', false",
        "'', a, false",
        "*, ***, true",
        "a*, a*, true",
        "*a, aaa, true",
        "a*a, a, false",
        "a*a, aa, true",
        "*ab*ab, abab, true",
        "*ab*ab, ab, false",
        "a*b*c, abcbc, true",
    })
    void coversOneComponentToItsEnd(String glob, String word, boolean covered) {
        assertThat(Glob.covers(glob, word)).isEqualTo(covered);
    }

    @Test
    void takesNoLongerForAHostileName() {
        List<String> deep = Collections.nCopies(10_000, "a");
        Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(60),
                () -> {
                    assertThat(Glob.covers(parts("**/a/**/a/**/a/**/b"), deep, 0)).isFalse();
                    assertThat(Glob.leadsThrough(parts("b/**/a/**/a"), deep, 0)).isFalse();
                    assertThat(Glob.covers("*a*a*a*a*a*b", "a".repeat(100_000))).isFalse();
                });
    }
}
