package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.credential.Secret;
import dev.sallyport.fixture.FakeApp;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The files in which agents keep their logins, and what is no such file.
class LoginDocumentTest {
    private static LoginDocument parse(String json) throws IOException {
        return LoginDocument.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    private static Secret secret(String text) {
        return Secret.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void assertTokens(LoginDocument document, String provider) {
        assertThat(document.access()).isEqualTo(secret("the-access"));
        assertThat(document.refresh()).isEqualTo(secret("the-refresh"));
        assertThat(document.provider()).isEqualTo(Optional.of(provider).filter(p -> !p.isEmpty()));
    }

    @Test
    void readsClaudes() throws IOException {
        LoginDocument document =
                parse(
                        """
                        {"claudeAiOauth": {"accessToken": "the-access", "refreshToken": "the-refresh",
                         "expiresAt": 1767225600000, "scopes": ["user:inference"], "subscriptionType": "max"}}
                        """);
        assertTokens(document, "anthropic");
        assertThat(document.expires()).contains(Instant.parse("2026-01-01T00:00:00Z"));
    }

    /// It does not say when the token expires, but the token does.
    @Test
    void readsCodexs() throws IOException {
        String claims =
                Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(
                                "{\"aud\":[\"x\"],\"exp\":1767225600}"
                                        .getBytes(StandardCharsets.US_ASCII));
        LoginDocument document =
                parse(
                        """
                        {"OPENAI_API_KEY": null, "tokens": {"id_token": "x.y.z", "access_token": "h.%s.s",
                         "refresh_token": "the-refresh", "account_id": "a"}, "last_refresh": "2025-12-31T00:00:00Z"}
                        """
                                .formatted(claims));
        assertThat(document.provider()).contains("openai");
        assertThat(document.expires()).contains(Instant.parse("2026-01-01T00:00:00Z"));
    }

    @Test
    void readsGeminis() throws IOException {
        LoginDocument document =
                parse(
                        """
                        {"access_token": "the-access", "refresh_token": "the-refresh", "scope": "a b",
                         "token_type": "Bearer", "id_token": "x", "expiry_date": 1767225600000}
                        """);
        assertTokens(document, "google");
    }

    /// Its access token is none, and over: nothing is sent before there is a real one.
    @Test
    void readsTheKeyOfAServiceAccount() throws Exception {
        byte[] key = FakeApp.KEYS.getPrivate().getEncoded();
        String pem =
                "-----BEGIN PRIVATE "
                        + "KEY-----\\n%s\\n-----END PRIVATE KEY-----\\n"
                                .formatted(Base64.getEncoder().encodeToString(key));
        String json =
                """
                {"type": "service_account", "private_key": "%s", "client_email": "robot@p.iam.example",
                 "token_uri": "https://oauth2.googleapis.com/token"}
                """;
        LoginDocument document = parse(json.formatted(pem));
        assertThat(document.refresh()).isEqualTo(secret(Base64.getEncoder().encodeToString(key)));
        assertThat(document.expires()).contains(Instant.EPOCH);
        assertThat(document.provider()).isEmpty();
        assertThat(document.said().form()).contains("assertion");
        assertThat(document.said().clientId()).contains("robot@p.iam.example");
        for (String bad : List.of("", "x", pem.replace("PRIVATE", "PUBLIC"))) {
            assertThatThrownBy(() -> parse(json.formatted(bad)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageNotContaining(pem.substring(40, 60));
        }
    }

    @Test
    void readsOneWrittenByHand() throws IOException {
        LoginDocument document =
                parse(
                        """
                        {"access_token": "the-access", "refresh_token": "the-refresh", "expires_at": 1767225600,
                         "token_endpoint": "https://auth.example.com/token", "client_id": "me",
                         "client_secret": "mine", "scope": "a"}
                        """);
        assertTokens(document, "");
        assertThat(document.expires()).contains(Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(document.said().endpoint()).contains("https://auth.example.com/token");
        assertThat(document.said().clientId()).contains("me");
        assertThat(document.said().clientSecret()).contains(secret("mine"));
    }

    @Test
    void whatIsNoLoginIsRefusedAndNotRepeated() {
        for (String wrong :
                List.of(
                        "",
                        "sk-planted-secret-value",
                        "[\"sk-planted-secret-value\"]",
                        "{\"access_token\": \"sk-planted-secret-value\"",
                        "{\"access_token\": \"sk-planted-secret-value\"}",
                        "{\"access_token\": \"a\", \"refresh_token\": 5}",
                        "{\"access_token\": \"sk-planted secret-value\", \"refresh_token\": \"r\"}",
                        "{\"access_token\": \"sk-planted\\nsecret\", \"refresh_token\": \"r\"}",
                        "{\"access_token\": \"a\", \"access_token\": \"sk-planted\", \"refresh_token\": \"r\"}",
                        "{\"access_token\": \"a\", \"refresh_token\": \"r\"} sk-planted",
                        "{\"access_token\": \"a\", \"refresh_token\": \"r\", \"expires_at\": \"sk-planted\"}",
                        "{\"claudeAiOauth\": {\"accessToken\": \"sk-planted\", \"refreshToken\": null}}")) {
            assertThatThrownBy(() -> parse(wrong))
                    .as(wrong)
                    .isInstanceOf(ConfigException.class)
                    .hasNoCause()
                    .message()
                    .doesNotContain("planted");
        }
    }

    @Test
    void everyKnownProviderCanBeUsed() throws Exception {
        for (LoginProvider provider : LoginProvider.all()) {
            new LoginText(
                            secret("refresh"),
                            Optional.empty(),
                            provider.endpoint(),
                            provider.clientId(),
                            Optional.empty(),
                            Optional.empty(),
                            provider.form())
                    .check();
            assertThat(provider.host()).isNotEmpty();
        }
        assertThat(LoginProvider.all())
                .extracting(LoginProvider::name)
                .containsExactly("anthropic", "openai", "google");
    }
}
