package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostPatternTest {
    @ParameterizedTest
    @CsvSource({
        "example.com, example.com",
        "*.example.com, a.example.com",
        "*.example.com, xn--a.example.com",
        "**.example.com, example.com",
        "**.example.com, a.example.com",
        "**.example.com, a.b.c.example.com"
    })
    void matches(String pattern, String host) throws MalformedNameException {
        HostPattern parsed = HostPattern.parse(pattern);
        assertThat(parsed.matches(new HostName(host))).isTrue();
        assertThat(parsed).hasToString(pattern);
        assertThat(parsed.isWildcard()).isEqualTo(pattern.startsWith("*"));
    }

    /// E8: look-alikes by suffix and prefix (CVE-2022-24825).
    @ParameterizedTest
    @CsvSource({
        "example.com, a.example.com",
        "example.com, example.com.evil.example",
        "example.com, evilexample.com",
        "example.com, example.org",
        "*.example.com, example.com",
        "*.example.com, a.b.example.com",
        "*.example.com, evilexample.com",
        "*.example.com, a.example.com.evil.example",
        "**.example.com, evilexample.com",
        "**.example.com, example.com.evil.example",
        "**.example.com, a.example.org"
    })
    void e8DoesNotMatchLookAlikes(String pattern, String host) throws MalformedNameException {
        assertThat(HostPattern.parse(pattern).matches(new HostName(host))).isFalse();
    }

    /// E1, E8: nothing stands for all hosts, and no other spelling is folded.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*",
                "**",
                "*.",
                "**.",
                "*.com",
                "**.com",
                "***.example.com",
                "a*.example.com",
                "a.*.example.com",
                "*a.example.com",
                "*.*.example.com",
                "**.*.example.com",
                "*.EXAMPLE.com",
                "*.example.com.",
                "*.127.0.0.1",
                ".example.com",
                "*.example.com/x",
                "*.example.com:443",
                "*.b\u00fccher.example"
            })
    void e1RefusesOtherForms(String text) {
        assertThatExceptionOfType(MalformedNameException.class)
                .isThrownBy(() -> HostPattern.parse(text));
    }

    @ParameterizedTest
    @CsvSource({
        "example.com, example.com, true",
        "example.com, *.example.com, false",
        "*.example.com, a.example.com, true",
        "*.example.com, *.example.com, true",
        "*.example.com, **.example.com, false",
        "*.example.com, *.a.example.com, false",
        "*.example.com, example.com, false",
        "**.example.com, example.com, true",
        "**.example.com, *.example.com, true",
        "**.example.com, **.a.example.com, true",
        "**.example.com, *.evilexample.com, false",
        "**.a.example.com, **.example.com, false"
    })
    void coversWhatItMatchesAltogether(String pattern, String other, boolean covered)
            throws MalformedNameException {
        assertThat(HostPattern.parse(pattern).covers(HostPattern.parse(other))).isEqualTo(covered);
    }
}
