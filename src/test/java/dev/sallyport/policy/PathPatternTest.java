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
        ".github/workflows/**, .github./workflows/x.yml",
        ".github/workflows/**, '.github /workflows. ./x.yml'",
        ".github/workflows/**, '.github\u00a0/workflows\u2024/x.yml'",
        ".github/workflows/**, GITHUB~1/WORKFL~1/x.yml",
        ".github/workflows/**, github~4/workflows/x.yml",
        ".github/workflows/**, GITHU~12/WORKF~10/x.yml",
        ".github/workflows/**, gi7d29~1/wo01AF~1/x.yml",
        ".github/workflows/**, 'GITHUB~1. /workflows/x.yml'",
        ".github/workflows/**, github\uff5e1/workflows/x.yml",
        ".github/workflows/**, .github::$INDEX_ALLOCATION/workflows/x.yml",
        ".github/workflows/**, '.github .:x:$DATA/workflows/x.yml'",
        ".github/workflows/**, .github\\workflows\\x.yml",
        ".github/workflows/**, .github/workflows\\x.yml",
        ".github/workflows/**, .github\uff3cworkflows\uff0fx.yml",
        ".github/workflows/**, .github/.../workflows/x.yml",
        ".github/workflows/**, c:.github/workflows/x.yml",
        ".github/workflows/**, GITHUB~1\\WORKFL~1::$INDEX_ALLOCATION\\x.yml",
        ".gitlab-ci.yml, .gitlab-ci.yml::$DATA",
        ".gitlab-ci.yml, .gitlab-ci.yml:zone",
        ".gitlab-ci.yml, .GitLab-CI.yml. .",
        ".gitlab-ci.yml, GITLAB~1.YML",
        ".gitlab-ci.yml, GITLAB~3.YML.",
        ".gitlab-ci.yml, gi01ab~2.yml",
        "**/*.yaml, a/LONGNA~1.YAM",
        "secret*, SECRET~1.TXT",
        "deploy/a+b c, deploy/A_BC~1",
        "Deploy/*, deploy/a\\b",
        "stra\u00dfe, STRASSE",
        "\u039f\u03a3, \u03bf\u03c2",
    })
    void deniesWhatSomeFileSystemTakesForTheSame(String text, String path)
            throws MalformedNameException {
        assertThat(pattern(text).matchesLoosely(path)).isTrue();
        assertThat(pattern(text).leadsThrough(path)).isTrue();
        assertThat(pattern(text).matches(path)).isFalse();
    }

    /// Git's list of what HFS+ ignores (`next_hfs_char`), and what Unicode does.
    @Test
    void deniesWithAnyCharacterThatCannotBeSeen() throws MalformedNameException {
        PathPattern workflows = pattern(".github/workflows/**");
        int[][] ranges = {
            {0x200C, 0x200F},
            {0x202A, 0x202E},
            {0x206A, 0x206F},
            {0xFEFF, 0xFEFF},
            {0xAD, 0xAD},
            {0x34F, 0x34F},
            {0x61C, 0x61C},
            {0x115F, 0x1160},
            {0x17B4, 0x17B5},
            {0x180B, 0x180F},
            {0x200B, 0x200F},
            {0x2060, 0x206F},
            {0x3164, 0x3164},
            {0xFE00, 0xFE0F},
            {0xFFA0, 0xFFA0},
            {0xFFF0, 0xFFF8},
            {0x1BCA0, 0x1BCA3},
            {0x1D173, 0x1D17A},
            {0xE0000, 0xE0FFF},
        };
        for (int[] range : ranges) {
            for (int c = range[0]; c <= range[1]; c++) {
                String unseen = Character.toString(c);
                String path = unseen + ".git" + unseen + "hub" + unseen + "/workflows/x.yml";
                assertThat(workflows.matchesLoosely(path)).as("U+%04X", c).isTrue();
                assertThat(workflows.leadsThrough(".git" + unseen + "hub")).isTrue();
            }
        }
    }

    /// The converse: names that are odd and still their own.
    @ParameterizedTest
    @CsvSource({
        ".github/workflows/**, .github.d/workflows/x.yml",
        ".github/workflows/**, .github/workflows2/x.yml",
        ".github/workflows/**, github~1b/workflows/x.yml",
        ".github/workflows/**, github~/workflows/x.yml",
        ".github/workflows/**, github~0/workflows/x.yml",
        ".github/workflows/**, gith~1/workflows/x.yml",
        ".github/workflows/**, gi7d2g~1/workflows/x.yml",
        ".github/workflows/**, 'docs/.github\\workflows\\x'",
        ".gitlab-ci.yml, GITLAB~1",
        ".gitlab-ci.yml, GITLAB~1.YAM",
        ".gitlab-ci.yml, .gitlab-ci.yml.md",
        ".gitlab-ci.yml, a~1b",
        ".gitlab-ci.yml, \u2764\ufe0f.md",
        "deploy, deploy~1",
        "deploy/**, DEPLOY~1/x",
        "a.b, A~1.B",
        "src/*, src\\a\\b",
    })
    void coversNothingThatOnlyLooksOdd(String text, String path) throws MalformedNameException {
        assertThat(pattern(text).matchesLoosely(path)).isFalse();
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
