package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.GitSettings;
import dev.sallyport.control.Api;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.credential.AppKey;
import dev.sallyport.credential.Secret;
import dev.sallyport.fixture.FakeApp;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Secrets as the control API changes them, and the sandboxes that hold them.
class SecretsTest {
    private static final String TOKEN = "s3cr3t-token-value";

    @TempDir Path temporary;

    private WardenParts parts;

    @BeforeEach
    void open() throws Exception {
        parts = new WardenParts(temporary);
        put("github", "github.com", Optional.empty(), Optional.empty());
    }

    @AfterEach
    void close() throws IOException {
        parts.close();
    }

    private SecretsApi.SecretView put(
            String name, String host, Optional<String> user, Optional<String> kind)
            throws OperationException {
        return parts.secrets.put(
                name, new SecretsApi.PutSecret(host, user, secret(TOKEN), kind, Optional.empty()));
    }

    private static Secret secret(String text) {
        return Secret.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    private Session sandbox(String name, boolean ephemeral, String... repos) throws Exception {
        Path workspace = Files.createDirectories(temporary.resolve("project"));
        return parts.sandboxes.create(
                parts.plans.plan(
                        new Api.CreateSandbox(
                                Optional.of(name),
                                Optional.of("bubblewrap"),
                                Optional.empty(),
                                workspace.toString(),
                                List.of(repos),
                                Api.ReachRequest.STANDARD,
                                GitSettings.STANDARD,
                                ephemeral,
                                Api.LifeRequest.STANDARD,
                                Api.MountRequest.NONE,
                                Api.ResourceRequest.STANDARD,
                                Api.HardeningRequest.STANDARD,
                                Api.HomeRequest.STANDARD,
                                Optional.empty())));
    }

    /// As far as a token says so itself, and nothing else of it.
    @Test
    void saysHowFarAGithubTokenReachesBeyondTheRules() throws Exception {
        for (String token : List.of("ghp_0123456789", "github_pat_0123456789", "gho_0123456789")) {
            SecretsApi.SecretView view =
                    parts.secrets.put(
                            "github",
                            new SecretsApi.PutSecret(
                                    "github.com",
                                    Optional.empty(),
                                    secret(token),
                                    Optional.empty(),
                                    Optional.empty()));
            assertThat(view.reach().orElseThrow()).contains("reaches").doesNotContain("0123");
        }
        assertThat(put("other", "a.example", Optional.empty(), Optional.empty()).reach()).isEmpty();
    }

    @Test
    void theKeyOfAnAppIsOneAndHasAnId() throws Exception {
        Secret key =
                AppKey.ofPem(
                        FakeApp.pem("PRIVATE KEY", FakeApp.KEYS.getPrivate().getEncoded())
                                .getBytes(StandardCharsets.US_ASCII));
        assertThatThrownBy(() -> putApp(secret("not a key"), Optional.of("1"), "github-app"))
                .hasMessageContaining("not a private RSA key");
        assertThatThrownBy(() -> putApp(key.copy(), Optional.empty(), "github-app"))
                .hasMessageContaining("id of an App");
        assertThatThrownBy(() -> putApp(key.copy(), Optional.of("1"), "token"))
                .hasMessageContaining("id of an App");
        assertThatThrownBy(() -> putApp(key.copy(), Optional.of("1\"}"), "github-app"))
                .hasMessageContaining("only letters");
        assertThat(putApp(key.copy(), Optional.of("1"), "github-app").app()).contains("1");
        assertThatThrownBy(
                        () ->
                                parts.secrets.rotate(
                                        "app",
                                        new SecretsApi.RotateSecret(
                                                secret("ghp_token"), false, Optional.empty())))
                .hasMessageContaining("not a private RSA key");
        assertThat(parts.secrets.list().secrets().getFirst().app()).contains("1");
    }

    private SecretsApi.SecretView putApp(Secret key, Optional<String> app, String kind)
            throws OperationException {
        return parts.secrets.put(
                "app",
                new SecretsApi.PutSecret(
                        "b.example",
                        Optional.empty(),
                        key,
                        Optional.of(kind),
                        Optional.empty(),
                        app));
    }

    private String record() throws IOException {
        return Files.readString(parts.home.auditLog());
    }

    @Test
    void theListSaysWhoHoldsASecretAndNeverItsValue() throws Exception {
        sandbox("with", false, "acme/app");
        sandbox("without", false);
        sandbox("stopped", false, "acme/app");
        parts.sandboxes.stop("stopped");

        SecretsApi.SecretView view = parts.secrets.list().secrets().getFirst();

        assertThat(view.sandboxes()).containsExactly("with");
        assertThat(List.of(view.kind(), view.host(), view.user(), view.rotated()))
                .isEqualTo(List.of("token", "github.com", Optional.empty(), Optional.empty()));
        assertThat(view.toString()).doesNotContain(TOKEN);
    }

    @Test
    void rotatingKeepsHostUserAndKindAndEndsNobody() throws Exception {
        put("corp", "git.corp.example", Optional.of("bot"), Optional.of("basic"));
        Session session = sandbox("work", false, "acme/app");

        SecretsApi.SecretRotated rotated =
                parts.secrets.rotate(
                        "corp",
                        new SecretsApi.RotateSecret(secret("new"), false, Optional.empty()));

        SecretsApi.SecretView view = rotated.secret();
        assertThat(List.of(view.host(), view.user(), view.kind()))
                .isEqualTo(List.of("git.corp.example", Optional.of("bot"), "basic"));
        assertThat(view.rotated()).isPresent();
        assertThat(rotated.ended()).isEmpty();
        assertThat(parts.runtime.alive).containsExactly(session.id());
        assertThat(record())
                .contains("\"secret.rotate\"", "\"end-sessions\":\"false\"")
                .doesNotContain(TOKEN, "session.revoke");
    }

    @Test
    void rotatingRefusesANameThatIsNotThere() throws Exception {
        sandbox("work", false, "acme/app");
        assertThatThrownBy(
                        () ->
                                parts.secrets.rotate(
                                        "gone",
                                        new SecretsApi.RotateSecret(
                                                secret("x"), true, Optional.empty())))
                .isInstanceOfSatisfying(
                        OperationException.class, e -> assertThat(e.status()).isEqualTo(404));
        assertThat(record()).doesNotContain("secret.rotate", "session.revoke");
        assertThat(parts.runtime.alive).hasSize(1);
        assertThat(parts.secrets.list().secrets()).hasSize(1);
    }

    @Test
    void endsTheSessionsThatCouldUseTheOldValueAndNoOthers() throws Exception {
        Session with = sandbox("with", false, "acme/app");
        Session brief = sandbox("brief", true, "acme/app:read");
        Session without = sandbox("without", false);
        sandbox("resting", false, "acme/app");
        parts.sandboxes.stop("resting");

        SecretsApi.SecretRotated rotated =
                parts.secrets.rotate(
                        "github",
                        new SecretsApi.RotateSecret(secret("new"), true, Optional.empty()));

        assertThat(rotated.ended()).containsExactlyInAnyOrder("with", "brief", "resting");
        assertThat(rotated.secret().sandboxes()).isEmpty();
        assertThat(parts.runtime.alive).containsExactly(without.id());
        assertThat(parts.link.isAttached(with.id().value())).isFalse();
        assertThat(parts.link.isAttached(without.id().value())).isTrue();
        for (String name : List.of("with", "resting")) {
            assertThat(parts.store.byName(name).orElseThrow().state())
                    .isEqualTo(Session.State.ENDED);
            assertThatThrownBy(() -> parts.sandboxes.start(name))
                    .hasMessageContaining("ended for good");
        }
        assertThat(parts.store.byName("brief")).as("ephemeral ones go").isEmpty();
        assertThat(record().lines().filter(line -> line.contains("\"session.revoke\"")))
                .hasSize(3)
                .anyMatch(line -> line.contains(with.id().value()))
                .anyMatch(line -> line.contains(brief.id().value()));
    }

    @Test
    void whatCannotBeRecordedIsNotRotated() throws Exception {
        sandbox("work", false, "acme/app");
        byte[] before = Files.readAllBytes(parts.home.secrets().resolve("github.json"));
        parts.audit.close();
        assertThatThrownBy(
                        () ->
                                parts.secrets.rotate(
                                        "github",
                                        new SecretsApi.RotateSecret(
                                                secret("new"), true, Optional.empty())))
                .isInstanceOfSatisfying(
                        OperationException.class, e -> assertThat(e.status()).isEqualTo(503));
        assertThat(Files.readAllBytes(parts.home.secrets().resolve("github.json")))
                .isEqualTo(before);
        assertThat(parts.runtime.alive).hasSize(1);
    }

    @Test
    void aKindThatDoesNotFitItsUserIsRefused() {
        for (String kind : List.of("basic", "other", "TOKEN")) {
            assertThatThrownBy(() -> put("x", "x.example", Optional.empty(), Optional.of(kind)))
                    .isInstanceOf(OperationException.class);
        }
        assertThatThrownBy(() -> put("x", "x.example", Optional.of("me"), Optional.of("token")))
                .isInstanceOf(OperationException.class);
        assertThat(parts.home.secrets().resolve("x.json")).doesNotExist();
    }

    @Test
    void encryptingNeedsAKey() {
        assertThatThrownBy(() -> parts.secrets.encrypt())
                .isInstanceOf(OperationException.class)
                .hasMessageContaining("sets no key");
        assertThat(parts.home.secrets().resolve("github.json")).exists();
    }
}
