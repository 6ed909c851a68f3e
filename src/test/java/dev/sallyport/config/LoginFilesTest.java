package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.StoredSecret.StoredLogin;
import dev.sallyport.config.StoredSecret.Tokens;
import dev.sallyport.credential.Secret;
import dev.sallyport.policy.HostName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Logins as they lie on the disk.
class LoginFilesTest {
    private static final HostName HOST = new HostName("api.example.com");
    private static final String ENDPOINT = "https://auth.example.com/token";

    @TempDir Path directory;
    private SecretFiles secrets;

    @BeforeEach
    void place() throws IOException {
        Path place = directory.resolve("secrets");
        Ownership.createPrivateDirectory(place);
        secrets = new SecretFiles(new SealedFiles(place, Optional.empty()));
        secrets.setLogin("login", HOST, secret("access-0"), login(ENDPOINT));
    }

    private static Secret secret(String text) {
        return Secret.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static LoginText login(String endpoint) {
        return new LoginText(
                secret("refresh-0"),
                Optional.empty(),
                endpoint,
                "client",
                Optional.of(secret("client-secret")),
                Optional.of("one two"),
                "form");
    }

    private StoredSecret stored() throws IOException {
        return secrets.find("login", HOST).orElseThrow();
    }

    private StoredLogin storedLogin() throws IOException {
        return stored().login().orElseThrow();
    }

    @Test
    void givesBackWhatWasSet() throws IOException {
        assertThat(stored().value()).isEqualTo(secret("access-0"));
        assertThat(storedLogin().text()).isEqualTo(login(ENDPOINT));
        SecretFiles.Entry entry = secrets.list().getFirst();
        assertThat(entry.kind()).isEqualTo(SecretKind.OAUTH);
        assertThat(entry.login().orElseThrow().endpoint()).isEqualTo(ENDPOINT);
        assertThat(entry.toString()).doesNotContain("access-0", "refresh-0");
    }

    /// A login is for what rules inject it into.
    @Test
    void gitHostsDoNotGetIt() throws IOException {
        assertThat(secrets.load(_ -> "user")).isEmpty();
    }

    @Test
    void renewingReplacesTheTokensAndNothingElse() throws IOException {
        String version = storedLogin().version();
        Tokens tokens =
                new Tokens(
                        secret("access-1"),
                        Optional.of(secret("refresh-1")),
                        Optional.of("2026-01-01T00:00:00Z"));
        assertThat(secrets.renew("login", version, tokens)).isTrue();

        assertThat(stored().value()).isEqualTo(secret("access-1"));
        assertThat(storedLogin().text())
                .isEqualTo(
                        login(ENDPOINT)
                                .with(secret("refresh-1"), Optional.of("2026-01-01T00:00:00Z")));
        assertThat(storedLogin().version()).isNotEqualTo(version);
        assertThat(secrets.list().getFirst().rotated()).isEmpty();
    }

    @Test
    void aProviderThatKeepsTheRefreshTokenNeedNotRepeatIt() throws IOException {
        Tokens tokens = new Tokens(secret("access-1"), Optional.empty(), Optional.empty());
        assertThat(secrets.renew("login", storedLogin().version(), tokens)).isTrue();
        assertThat(storedLogin().text().refresh()).isEqualTo(secret("refresh-0"));
    }

    /// What a person stored meanwhile is newer than what comes of the version before.
    @Test
    void whatWasChangedMeanwhileStays() throws IOException {
        String version = storedLogin().version();
        secrets.rotateLogin(
                "login",
                new Tokens(secret("access-9"), Optional.of(secret("refresh-9")), Optional.empty()));
        Tokens late = new Tokens(secret("access-1"), Optional.empty(), Optional.empty());
        assertThat(secrets.renew("login", version, late)).isFalse();
        assertThat(secrets.renew("gone", version, late)).isFalse();
        assertThat(secrets.renew("../x", version, late)).isFalse();
        assertThat(stored().value()).isEqualTo(secret("access-9"));
        assertThat(storedLogin().text().endpoint()).isEqualTo(ENDPOINT);
        assertThat(secrets.list().getFirst().rotated()).isPresent();
    }

    @Test
    void aLoginIsNotRotatedAsASingleValueNorTheOtherWayRound() throws IOException {
        secrets.set("key", new HostName("b.example"), Optional.empty(), secret("12345678"));
        assertThatThrownBy(() -> secrets.rotate("login", secret("x")))
                .isInstanceOf(ConfigException.class);
        Tokens tokens = new Tokens(secret("a"), Optional.empty(), Optional.empty());
        assertThatThrownBy(() -> secrets.rotateLogin("key", tokens))
                .isInstanceOf(ConfigException.class);
        assertThat(secrets.renew("key", "", tokens)).isFalse();
        assertThat(stored().value()).isEqualTo(secret("access-0"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://auth.example.com/token",
                "https://auth.example.com",
                "https://me@auth.example.com/token",
                "https://auth.example.com/token?x=1",
                "https://auth.example.com/token#x",
                "https://127.0.0.1/token",
                "https://AUTH.example.com/token",
                "https://auth.example.com:0/token",
                "https://auth.example.com:70000/token",
                "https://auth.example.com\\@evil.example/token",
                "file:///etc/passwd"
            })
    void refusesAnEndpointThatIsNotPlainlyOnePlace(String endpoint) {
        assertThatThrownBy(
                        () ->
                                secrets.setLogin(
                                        "other",
                                        new HostName("b.example"),
                                        secret("access-0"),
                                        login(endpoint)))
                .isInstanceOf(ConfigException.class);
        assertThat(directory.resolve("secrets/other.json")).doesNotExist();
    }

    @Test
    void aFileWhoseLoginWasChangedByHandIsRefused() throws IOException {
        Path file = directory.resolve("secrets/login.json");
        String text = Files.readString(file);
        for (String damaged :
                new String[] {
                    text.replace("https://auth", "http://auth"),
                    text.replace("\"kind\":\"oauth\"", "\"kind\":\"token\""),
                    text.replaceFirst(",\"version\":\"[0-9a-f]+\"", ""),
                    text.replace("\"form\":\"form\"", "\"form\":\"xml\"")
                }) {
            assertThat(damaged).isNotEqualTo(text);
            Files.writeString(file, damaged);
            assertThatThrownBy(() -> secrets.list())
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("is not a secret file");
        }
    }
}
