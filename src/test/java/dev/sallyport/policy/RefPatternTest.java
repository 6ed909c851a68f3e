package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RefPatternTest {
    @ParameterizedTest
    @CsvSource({
        "agent/**, agent/x",
        "agent/**, agent/x/y/z",
        "agent/*, agent/x",
        "main, main",
        "*, main",
        "**, main",
        "**, a/b/c",
        "**/fix, a/fix",
        "**/fix, a/b/fix",
        "a/**/z, a/b/z",
        "a/**/z, a/b/c/z",
        "a/**/z, a/z/z",
        "release-*, release-",
        "release-*, release-1.0",
        "*-x-*, a-x-b",
        "*-x-*, -x-x-",
        "a*b*c, abc",
        "a*b*c, aXbXbXc",
        "u/*/x, u/me/x",
        "a.b, a.b"
    })
    void coversTheWholeName(String pattern, String branch) throws MalformedNameException {
        assertThat(matches(pattern, "refs/heads/" + branch)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "agent/**, agent",
        "agent/**, agents/x",
        "agent/**, xagent/x",
        "agent/**, x/agent/y",
        "agent/**, Agent/x",
        "agent/**, AGENT/x",
        "agent/*, agent/x/y",
        "agent/*, agent",
        "main, Main",
        "main, main2",
        "main, xmain",
        "main, a/main",
        "main, main/x",
        "*, a/b",
        "**/fix, fix",
        "a/**/z, a/z",
        "a.b, axb",
        "a+, aa",
        "a*b*c, abd",
        "(a|b), a",
        "release-*, release"
    })
    void coversNothingElse(String pattern, String branch) throws MalformedNameException {
        assertThat(matches(pattern, "refs/heads/" + branch)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "refs/tags/main",
                "refs/notes/main",
                "refs/pull/main",
                "refs/replace/main",
                "refs/Heads/main",
                "refs/remotes/heads/main"
            })
    void coversBranchesOnly(String ref) throws MalformedNameException {
        assertThat(matches("**", ref)).isFalse();
        assertThat(matches("main", ref)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "a/",
                "/a",
                "a//b",
                "***",
                "a**",
                "**a",
                "a/b**/c",
                ".a",
                "a.lock",
                "a..b",
                "a b",
                "a\nb",
                "a?",
                "[ab]",
                "a\\*",
                "refs/heads/main",
                "refs/**",
                "a~b",
                "@{",
                "a\u202eb"
            })
    void refusesPatternsThatGitCouldNotName(String text) {
        assertThatExceptionOfType(MalformedNameException.class)
                .isThrownBy(() -> RefPattern.parse(text));
    }

    /// A sandbox chooses the name; no name may make the match take long.
    @Test
    void takesNoLongerForAHostileName() throws MalformedNameException {
        RefPattern deep = RefPattern.parse("**/a/**/a/**/a/**/a/**/a/**/b");
        RefName many = RefName.parse("refs/heads/" + "a/".repeat(500) + "a");
        RefPattern wide = RefPattern.parse("*a*a*a*a*a*a*a*a*a*a*b");
        RefName flat = RefName.parse("refs/heads/" + "a".repeat(1_000));
        Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(60),
                () -> {
                    assertThat(deep.matches(many)).isFalse();
                    assertThat(wide.matches(flat)).isFalse();
                });
    }

    private static boolean matches(String pattern, String ref) throws MalformedNameException {
        return RefPattern.parse(pattern).matches(RefName.parse(ref));
    }
}
