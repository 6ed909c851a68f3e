package dev.sallyport.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
                "gho_16C7e42F292c6912E7710c838347Ae178B4a",
                "ghu_16C7e42F292c6912E7710c838347Ae178B4a",
                "ghs_16C7e42F292c6912E7710c838347Ae178B4a",
                "ghr_16C7e42F292c6912E7710c838347Ae178B4a",
                "ghs_123_eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
                "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz",
                "glpat-abcDEF123456_-xyz789",
                "gldt-abcDEF123456",
                "sk-ant-api03-abcdefghijklmnop",
                "sk-proj-abcdefghijklmnop",
                "sk_live_abcdefghijklmnop",
                "AKIAIOSFODNN7EXAMPLE",
                "ASIAIOSFODNN7EXAMPLE",
                "AIzaSyA1234567890abcdefghij",
                "xoxb-123456789012-abcdef",
                "npm_abcdefghijklmnopqrstuvwxyz0123456789",
                "pypi-AgEIcHlwaS5vcmcCJDEyMzQ1Njc4",
                "hf_abcdefghijklmnopqrstuvwxyz",
                "dop_v1_0123456789abcdef0123456789abcdef",
                "ya29.abcdefghijklmnop",
                "AROAIOSFODNN7EXAMPLE",
                "ACCAIOSFODNN7EXAMPLE",
                "glsoat-abcDEF123456",
                "rk_live_abcdefghijklmnop",
                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
                "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA"
            })
    void takesOutTokens(String token) {
        assertThat(Redaction.redact(token)).isEqualTo("[redacted]");
        assertThat(Redaction.redact("a/" + token)).isEqualTo("a/[redacted]");
        assertThat(Redaction.redact("x " + token.substring(0, 14))).doesNotContain("ghp_");
    }

    @Test
    void takesOutWhatFollowsAScheme() {
        assertThat(Redaction.redact("Authorization: Bearer abc.def-123"))
                .isEqualTo("Authorization: Bearer [redacted]");
        assertThat(Redaction.redact("basic eDp5enoxMjM=")).isEqualTo("basic [redacted]");
        for (String space : List.of("%20", "+", " ", "\t", "\n", "\u000b", "\f", "\r")) {
            assertThat(Redaction.redact("BEARER" + space + "abcdefgh"))
                    .isEqualTo("BEARER [redacted]");
        }
    }

    @Test
    void takesOutUserInformationOfUrls() {
        assertThat(Redaction.redact("https://user:pass@host/x"))
                .isEqualTo("https://[redacted]@host/x");
        assertThat(Redaction.redact("https://p@ss@host/x")).isEqualTo("https://[redacted]@host/x");
        assertThat(Redaction.redact("https://host/x@y")).isEqualTo("https://host/x@y");
    }

    @Test
    void takesOutValuesOfTellingParameters() {
        assertThat(Redaction.redact("/a?access_token=abc&x=1"))
                .isEqualTo("/a?access_token=[redacted]&x=1");
        assertThat(Redaction.redact("PASSWORD=hunter2")).isEqualTo("PASSWORD=[redacted]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "github.com/acme/app",
                "refs/heads/agent/fix-task-list",
                "da39a3ee5e6b4b0d3255bfef95601890afd80709",
                "git-upload-pack",
                "risk-assessment-of-disk-space",
                "/git/github.com/acme/app.git/info/refs",
                ""
            })
    void leavesOrdinaryWordsAlone(String text) {
        assertThat(Redaction.redact(text)).isEqualTo(text);
    }
}
