package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UrlPathTest {
    @ParameterizedTest
    @CsvSource({
        "/, /",
        "/a, /a",
        "/a/, /a/",
        "/a/b.c/~d_-, /a/b.c/~d_-",
        "/%41%7e, /A~",
        "/a%20b, /a%20b",
        "/a%2Bb, /a+b",
        "/%e2%82%ac, /%E2%82%AC",
        "/a:b@c!$&'()*+=, /a:b@c!$&'()*+=",
        "/a;b=c, /a;b=c",
        "/a%3fb%23, /a%3Fb%23",
        "/.well-known/x, /.well-known/x",
        "/.../x, /.../x",
        "/..a/b.., /..a/b..",
        "/@scope%2fname, /@scope%2fname",
        "/@scope%2Fname/-/x.tgz, /@scope%2fname/-/x.tgz"
    })
    void hasOneSpelling(String raw, String canonical) throws MalformedNameException {
        UrlPath path = UrlPath.parse(raw);
        assertThat(path).hasToString(canonical);
        assertThat(UrlPath.parse(canonical)).isEqualTo(path).hasSameHashCodeAs(path);
    }

    /// E10: what some server reads as another path (CVE-2021-29492, CVE-2024-38819,
    /// CVE-2026-65092).
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a",
                "//",
                "//a",
                "/a//b",
                "/.",
                "/..",
                "/a/../b",
                "/a/./b",
                "/a/..",
                "/%2e",
                "/%2E%2e/a",
                "/.%2e/a",
                "/a/%2e%2e",
                "/..;/a",
                "/.;x=y/a",
                "/%2e%2e;/a",
                "/..%3b/a",
                "/a%2fb",
                "/a%2Fb",
                "/..%2fa",
                "/@scope%2f..",
                "/@scope%2fname%2fmore",
                "/@%2fname",
                "/@scope%2f%2e%2e",
                "/x@scope%2fname",
                "/a%5cb",
                "/..%5c..%5ca",
                "/a\\b",
                "/%252e%252e/a",
                "/%25",
                "/%",
                "/%4",
                "/%4g",
                "/%-1",
                "/%+1",
                "/%00",
                "/a%0d%0ab",
                "/a%7f",
                "/%1b",
                "/a b",
                "/a\tb",
                "/a?b",
                "/a#b",
                "/<",
                "/\u00e9",
                "/%c0%ae%c0%ae/a",
                "/%c0%af",
                "/%e0%80%ae",
                "/%ff",
                "/%c3",
                "/%ed%a0%80",
                "/%ef%bc%8e%ef%bc%8e/a",
                "/%e2%80%a5/a",
                "/%e2%80%a4/a",
                "/a%ef%bc%8fb",
                "/a%ef%bc%bcb",
                "/%ef%bc%852e"
            })
    void e10RefusesWhatTwoServersReadInTwoWays(String raw) {
        assertThatExceptionOfType(MalformedNameException.class)
                .isThrownBy(() -> UrlPath.parse(raw));
    }

    @Test
    void refusesAPathThatIsTooLong() throws MalformedNameException {
        UrlPath.parse("/" + "a".repeat(8_191));
        assertThatExceptionOfType(MalformedNameException.class)
                .isThrownBy(() -> UrlPath.parse("/" + "a".repeat(8_192)));
    }
}
