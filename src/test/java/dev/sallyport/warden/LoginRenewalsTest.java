package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.channel.Message;
import dev.sallyport.config.LoginText;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.config.StoredSecret;
import dev.sallyport.control.Api;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.credential.Secret;
import dev.sallyport.policy.HostName;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the warden takes from a gateway that may be compromised.
class LoginRenewalsTest {
    private static final HostName HOST = new HostName("api.example.com");

    @TempDir Path temporary;
    private WardenParts parts;

    @BeforeEach
    void open() throws Exception {
        Path home =
                Files.createDirectory(
                        temporary.toRealPath().resolve("home"),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")));
        Path policy =
                Files.writeString(
                        home.resolve("policy.yaml"),
                        "egress:\n  - host: api.example.com\n    inject: {secret: login, bearer: true}\n");
        Files.setPosixFilePermissions(policy, PosixFilePermissions.fromString("rw-------"));
        parts = new WardenParts(temporary);
        put("login", "api.example.com");
        put("other", "b.example.com");
        parts.secrets.put(
                "key",
                new SecretsApi.PutSecret(
                        "c.example.com",
                        Optional.empty(),
                        secret("an-ordinary-key"),
                        Optional.empty(),
                        Optional.empty()));
    }

    @AfterEach
    void close() throws IOException {
        parts.close();
    }

    private void put(String name, String host) throws OperationException {
        LoginText login =
                new LoginText(
                        secret("refresh-number-0"),
                        Optional.empty(),
                        "https://auth.example.com/token",
                        "client",
                        Optional.empty(),
                        Optional.empty(),
                        "json");
        parts.secrets.put(
                name,
                new SecretsApi.PutSecret(
                        host,
                        Optional.empty(),
                        secret("access-number-0"),
                        Optional.of("oauth"),
                        Optional.of(login)));
    }

    private static Secret secret(String text) {
        return Secret.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    private SecretFiles files() {
        return parts.secrets.files();
    }

    private StoredSecret stored() throws IOException {
        return files().find("login", HOST).orElseThrow();
    }

    private String version() throws IOException {
        return stored().login().orElseThrow().version();
    }

    private Session sandbox() throws Exception {
        return parts.create("box", Api.LifeRequest.STANDARD);
    }

    private boolean take(String session, String name, String version) {
        return take(session, name, version, Optional.of("2026-01-01T00:00:00Z"));
    }

    private boolean take(String session, String name, String version, Optional<String> expires) {
        return parts.logins.take(
                new Message.LoginRenewed(
                        session,
                        name,
                        version,
                        secret("access-number-1"),
                        Optional.of(secret("refresh-number-1")),
                        expires));
    }

    private List<String> renewals() throws IOException {
        return Files.readString(parts.home.auditLog())
                .lines()
                .filter(line -> line.contains("\"secret.renew\""))
                .toList();
    }

    @Test
    void storesAndRecordsWhatASessionThatHoldsTheLoginBrings() throws Exception {
        String session = sandbox().id().value();
        assertThat(take(session, "login", version())).isTrue();
        assertThat(stored().value()).isEqualTo(secret("access-number-1"));
        assertThat(stored().login().orElseThrow().text().endpoint())
                .isEqualTo("https://auth.example.com/token");
        assertThat(renewals())
                .hasSize(1)
                .allMatch(line -> line.contains(session) && line.contains("\"name\":\"login\""))
                .noneMatch(line -> line.contains("number-1"));
        SecretsApi.SecretView view = parts.secrets.list().secrets().get(1);
        assertThat(view.kind()).isEqualTo("oauth");
        assertThat(view.login().orElseThrow().expires()).contains("2026-01-01T00:00:00Z");
    }

    @Test
    void takesNothingForWhatTheSessionDoesNotHold() throws Exception {
        String session = sandbox().id().value();
        String other =
                files().find("other", new HostName("b.example.com"))
                        .flatMap(StoredSecret::login)
                        .orElseThrow()
                        .version();
        assertThat(take(session, "other", other)).isTrue();
        assertThat(take(session, "key", "")).isTrue();
        assertThat(take(session, "gone", "")).isTrue();
        assertThat(take("0123456789abcdef", "login", version())).isTrue();
        assertThat(take("no session", "login", version())).isTrue();
        assertThat(take(session, "login", version(), Optional.of("tomorrow"))).isTrue();
        for (String name : List.of("login", "other", "key")) {
            assertThat(Files.readString(parts.home.secrets().resolve(name + ".json")))
                    .doesNotContain(
                            java.util.Base64.getEncoder()
                                    .encodeToString(
                                            "access-number-1".getBytes(StandardCharsets.US_ASCII)));
        }
        assertThat(renewals()).isEmpty();
    }

    /// A person who logs in again wins against a renewal that was under way.
    @Test
    void whatAPersonStoredMeanwhileStays() throws Exception {
        String session = sandbox().id().value();
        String version = version();
        parts.secrets.rotate(
                "login",
                new SecretsApi.RotateSecret(
                        secret("access-number-9"),
                        false,
                        Optional.of(
                                new SecretsApi.NewLogin(
                                        secret("refresh-number-9"), Optional.empty()))));
        assertThat(take(session, "login", version)).isTrue();
        assertThat(stored().value()).isEqualTo(secret("access-number-9"));
        assertThat(renewals()).isEmpty();
    }

    @Test
    void whatCannotBeRecordedIsNotStoredAndMayComeAgain() throws Exception {
        String session = sandbox().id().value();
        String version = version();
        parts.audit.close();
        assertThat(take(session, "login", version)).isFalse();
        assertThat(version()).isEqualTo(version);
    }

    /// The refresh token before is used up by then.
    @Test
    void aSandboxThatHasJustEndedDoesNotTakeTheLoginWithIt() throws Exception {
        String session = sandbox().id().value();
        parts.sandboxes.stop("box");
        assertThat(take(session, "login", version())).isTrue();
        assertThat(stored().value()).isEqualTo(secret("access-number-1"));
    }

    @Test
    void aSandboxThatHasJustLostTheRightDoesNotTakeTheLoginWithIt() throws Exception {
        String session = sandbox().id().value();
        Files.writeString(parts.home.policyFile(), "egress: []");
        parts.policy.apply(new Api.ApplyPolicy(false, false));
        assertThat(take(session, "login", version())).isTrue();
        assertThat(stored().value()).isEqualTo(secret("access-number-1"));
    }

    @Test
    void endingSessionsOfARotatedLoginEndsThoseThatHoldIt() throws Exception {
        sandbox();
        SecretsApi.SecretRotated rotated =
                parts.secrets.rotate(
                        "login",
                        new SecretsApi.RotateSecret(
                                secret("access-number-9"),
                                true,
                                Optional.of(
                                        new SecretsApi.NewLogin(
                                                secret("refresh-number-9"), Optional.empty()))));
        assertThat(rotated.ended()).containsExactly("box");
    }
}
