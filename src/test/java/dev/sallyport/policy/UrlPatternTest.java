package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UrlPatternTest {
    private static boolean matches(String pattern, String path) throws MalformedNameException {
        return UrlPattern.parse(pattern).matches(UrlPath.parse(path));
    }

    @ParameterizedTest
    @CsvSource({
        "/, /",
        "/v1/messages, /v1/messages",
        "/v1/messages, /v1/%6dessages",
        "/v1/*, /v1/x",
        "/v1/*, /v1/",
        "/v1/*/y, /v1/x/y",
        "/v1/**, /v1",
        "/v1/**, /v1/",
        "/v1/**, /v1/a/b/c",
        "/**, /",
        "/**, /a/b",
        "/a/**/z, /a/z",
        "/a/**/z, /a/b/c/z",
        "/*.tgz, /x.tgz",
        "/@*/*, /@scope%2fname",
        "/@scope/*, /@scope%2fname",
        "/npm/**/@*/**, /npm/x/@scope%2fname",
        "/caf*, /caf%c3%a9"
    })
    void matchesTheWholePath(String pattern, String path) throws MalformedNameException {
        assertThat(matches(pattern, path)).isTrue();
    }

    /// E10: neighbours of what is allowed.
    @ParameterizedTest
    @CsvSource({
        "/, /a",
        "/v1/messages, /v1/messages/",
        "/v1/messages, /v1/messages/x",
        "/v1/messages, /v1/messagesx",
        "/v1/messages, /V1/messages",
        "/v1/messages, /v1/messages;x",
        "/v1/messages, /x/v1/messages",
        "/v1/*, /v1",
        "/v1/*, /v1/a/b",
        "/v1/**, /v10",
        "/v1/**, /v2/v1/x",
        "/a/**/z, /b/a/z",
        "/*.tgz, /a/x.tgz",
        "/@*, /@scope%2fname",
        "/@other/*, /@scope%2fname",
        "/*, /@scope%2fname",
        "/*/*, /@scope%2fname",
        "/**, /@scope%2fname"
    })
    void e10DoesNotMatchNeighbours(String pattern, String path) throws MalformedNameException {
        assertThat(matches(pattern, path)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "a", "*", "**", "//", "/a//b", "/.", "/..", "/a/../b", "/a**", "/**b", "/a%20b",
                "/a?b", "/a#b", "/a b", "/a;b", "/a\\b", "/\u00e9", "/a\n"
            })
    void refusesOtherForms(String text) {
        assertThatExceptionOfType(MalformedNameException.class)
                .isThrownBy(() -> UrlPattern.parse(text));
    }

    @Test
    void isEqualByItsText() throws MalformedNameException {
        assertThat(UrlPattern.parse("/a/**"))
                .isEqualTo(UrlPattern.parse("/a/**"))
                .hasSameHashCodeAs(UrlPattern.parse("/a/**"))
                .isNotEqualTo(UrlPattern.parse("/a/*"))
                .hasToString("/a/**");
    }
}
