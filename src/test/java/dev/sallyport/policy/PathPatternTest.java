package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PathPatternTest {
    private static PathPattern pattern(String text) throws MalformedNameException {
        return PathPattern.parse(text);
    }

    @ParameterizedTest
    @CsvSource({
        "README, README",
        "src/*, src/a",
        "src/**, src",
        "src/**, src/a",
        "src/**, src/a/b/c",
        "**, a/b",
        "**/x, x",
        "**/x, a/b/x",
        "a/**/z, a/z",
        "a/**/z, a/b/c/z",
        "*.yml, .yml",
        "**/*.yml, a/b.yml",
        "a b/[c], a b/[c]",
    })
    void coversTheWholePath(String text, String path) throws MalformedNameException {
        assertThat(pattern(text).matches(path)).isTrue();
        assertThat(pattern(text).matchesLoosely(path)).isTrue();
        assertThat(pattern(text).leadsThrough(path)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "README, README.md",
        "README, a/README",
        "README, README/a",
        "src/*, src",
        "src/*, src/a/b",
        "src/**, srcs",
        "src/**, a/src/b",
        "*.yml, a/b.yml",
        "**/x, a/xx",
        "a/**/z, z",
        "a.b, axb",
    })
    void coversNothingElse(String text, String path) throws MalformedNameException {
        assertThat(pattern(text).matches(path)).isFalse();
        assertThat(pattern(text).matchesLoosely(path)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        ".github/workflows/**, .GitHub/WORKFLOWS/x.yml",
        ".github/workflows/**, .g\u0131thub/workflows/x.yml",
        ".github/workflows/**, .github/wor\u212aflows/x.yml",
        ".github/workflows/**, .github/work\uff46lows/x.yml",
        ".github/workflows/**, .github/work\ufb02ows/x.yml",
        ".github/workflows/**, .git\u200chub/workflows/x.yml",
        ".github/workflows/**, .github\ufeff/workflows/x.yml",
        "caf\u00e9/*, cafe\u0301/x",
        "cafe\u0301/*, CAF\u00c9/x",
        "stra\u00dfe, STRASSE",
        "\u039f\u03a3, \u03bf\u03c2",
    })
    void deniesWhatSomeFileSystemTakesForTheSame(String text, String path)
            throws MalformedNameException {
        assertThat(pattern(text).matchesLoosely(path)).isTrue();
        assertThat(pattern(text).leadsThrough(path)).isTrue();
        assertThat(pattern(text).matches(path)).isFalse();
    }

    /// A neighbour of `*` must not change what the rest of the pattern means.
    @ParameterizedTest
    @CsvSource({
        ".github/workflows/*, .github/workflows/a\uff0fb.yml",
        ".github/workflows/*, .github/workflows/a\u2105b.yml",
        ".gitlab-ci*, .gitlab-ci\u0301.yml",
        "\u03a3*, \u03a3x",
        "A\u03a3*, A\u03a3x",
        "a\u0301*, a\u0301\u0323",
        "*\u0301, e\u0301",
        "x*, x\ud83d\ude00",
    })
    void deniesLooselyWhateverItCoversExactly(String text, String path)
            throws MalformedNameException {
        assertThat(pattern(text).matches(path)).isTrue();
        assertThat(pattern(text).matchesLoosely(path)).isTrue();
        assertThat(pattern(text).leadsThrough(path)).isTrue();
    }

    @Test
    void leadsThroughEveryDirectoryOnTheWay() throws MalformedNameException {
        PathPattern workflows = pattern(".github/workflows/**");
        for (String on :
                List.of(".github", ".GITHUB", ".github/workflows", ".github/workflows/a/b")) {
            assertThat(workflows.leadsThrough(on)).as(on).isTrue();
        }
        for (String beside : List.of("github", ".github2", ".github/other", "a/.github")) {
            assertThat(workflows.leadsThrough(beside)).as(beside).isFalse();
        }
        assertThat(pattern("a/*/c").leadsThrough("a/x")).isTrue();
        assertThat(pattern("a/*/c").leadsThrough("a/x/c")).isTrue();
        assertThat(pattern("a/*/c").leadsThrough("a/x/c/d")).isFalse();
        assertThat(pattern("a/*/c").leadsThrough("b")).isFalse();
        assertThat(pattern("**/.env").leadsThrough("anything/at/all")).isTrue();
        assertThat(pattern("a/**/b").leadsThrough("a/x/y")).isTrue();
        assertThat(pattern("a/**/b").leadsThrough("b")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "/a",
                "a/",
                "a//b",
                ".",
                "..",
                "a/../b",
                "./a",
                "a\\b",
                "a\nb",
                "a\u0000b",
                "a\u0085b",
                "***",
                "a**",
                "**a/b",
                "a/\uff0a\uff0a",
                "a\uff0fb",
                "\u2105",
            })
    void refusesPatternsThatNoPathHasOrThatReadDifferently(String text) {
        assertThatExceptionOfType(MalformedNameException.class)
                .isThrownBy(() -> PathPattern.parse(text));
    }

    @Test
    void refusesPatternsThatAreTooLong() throws MalformedNameException {
        assertThat(pattern("a".repeat(1_024))).hasToString("a".repeat(1_024));
        assertThatExceptionOfType(MalformedNameException.class)
                .isThrownBy(() -> PathPattern.parse("a".repeat(1_025)));
    }

    @Test
    void isEqualByWhatWasWritten() throws MalformedNameException {
        assertThat(pattern("a/**")).isEqualTo(pattern("a/**")).hasSameHashCodeAs(pattern("a/**"));
        assertThat(pattern("a/**")).isNotEqualTo(pattern("A/**"));
    }

    @Test
    void standardRulesDenyWhatMakesAHostingServiceRunCode() {
        List<PathPattern> denied = ContentRules.standard().pathsDenied();
        for (String path :
                List.of(
                        ".github/workflows/ci.yml",
                        ".GitHub/Workflows/ci.yml",
                        ".github/actions/x/action.yml",
                        ".gitea/workflows/ci.yml",
                        ".forgejo/workflows/ci.yml",
                        ".gitlab-ci.yml")) {
            assertThat(denied).as(path).anyMatch(pattern -> pattern.matchesLoosely(path));
        }
        for (String path : List.of("README.md", ".github/CODEOWNERS", "src/.gitlab-ci.yml")) {
            assertThat(denied).as(path).noneMatch(pattern -> pattern.matchesLoosely(path));
        }
    }
}
