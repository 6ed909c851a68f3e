package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Whom the daemon may tell something by itself.
final class ReportsTest {
    @TempDir Path directory;

    private Reports reports(String yaml) throws IOException {
        Path file = Files.writeString(directory.resolve("policy.yaml"), yaml);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return PolicyFile.load(file).reports();
    }

    private Reports.Webhook webhook(String yaml) throws IOException {
        return reports("approvals: {webhook: {" + yaml + "}}\n").webhook().orElseThrow();
    }

    @Test
    void aWebhookIsAUrlAndTheNameOfASecret() throws IOException {
        Reports.Webhook hook = webhook("url: \"https://hooks.example/a?b=c\", secret: hooks");
        assertThat(hook.secret()).isEqualTo("hooks");
        assertThat(hook.url().host().value()).isEqualTo("hooks.example");
        assertThat(hook.url().port()).isEqualTo(443);
        assertThat(hook.url().tls()).isTrue();
        assertThat(reports("hosts: []\n")).isEqualTo(Reports.NONE);
        assertThat(reports("approvals: {}\n")).isEqualTo(Reports.NONE);
    }

    @Test
    void withoutTlsOnlyThisMachineIsTold() throws IOException {
        for (String host : new String[] {"127.0.0.1", "localhost"}) {
            PostUrl url = webhook("url: \"http://" + host + ":8080/x\", secret: hooks").url();
            assertThat(url.host().value()).isEqualTo("localhost.localdomain");
            assertThat(url.reach().dial()).contains("127.0.0.1:8080");
            assertThat(url.tls()).isFalse();
        }
        PostUrl push =
                reports("metrics: {otlp: {url: \"http://127.0.0.1:4318/v1/metrics\"}}\n")
                        .metricsPush()
                        .orElseThrow();
        assertThat(push.path()).isEqualTo("/v1/metrics");
        assertThat(webhook("url: \"http://a.example/\", dial: \"127.0.0.1:1\", secret: x").url())
                .isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "approvals: {webhook: {url: \"http://hooks.example/\", secret: hooks}}",
                "approvals: {webhook: {url: \"http://127.0.0.1:1/\", dial: \"10.0.0.1:1\", secret: hooks}}",
                "approvals: {webhook: {url: \"http://127.0.0.2:1/\", secret: hooks}}",
                "approvals: {webhook: {url: \"https://127.0.0.1/\", secret: hooks}}",
                "approvals: {webhook: {url: \"https://user:secret@hooks.example/\", secret: hooks}}",
                "approvals: {webhook: {url: \"https://hooks.example/\"}}",
                "approvals: {webhook: {url: \"https://hooks.example/\", secret: \"../x\"}}",
                "approvals: {webhook: {url: \"https://hooks.example/\", secret: hooks, answer: yes}}",
                "approvals: {hook: {}}",
                "metrics: {otlp: {url: \"http://collector.example:4318/v1/metrics\"}}",
                "metrics: {otlp: {url: \"https://collector.example/v1/metrics\", secret: x}}"
            })
    void anythingElseIsAnErrorThatNamesTheLine(String yaml) {
        assertThatThrownBy(() -> reports(yaml + "\n"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("policy.yaml:1");
    }
}
