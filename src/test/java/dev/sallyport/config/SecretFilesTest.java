package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.credential.AwsKey;
import dev.sallyport.credential.Credential;
import dev.sallyport.credential.Secret;
import dev.sallyport.policy.HostName;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretFilesTest {
    private static final HostName GITHUB = new HostName("github.com");
    private static final HostName OTHER = new HostName("git.corp.example");
    private static final String TOKEN = "s3cr3t-token-value";

    @TempDir Path directory;
    private SecretFiles secrets =
            new SecretFiles(new SealedFiles(Path.of("unset"), Optional.empty()));

    @BeforeEach
    void place() throws IOException {
        Path place = directory.resolve("secrets");
        Ownership.createPrivateDirectory(place);
        secrets = new SecretFiles(new SealedFiles(place, Optional.empty()));
    }

    private static Secret secret(String text) {
        return Secret.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private Path file(String name) {
        return directory.resolve("secrets").resolve(name + ".json");
    }

    @Test
    void givesBackWhatWasSet() throws IOException {
        secrets.set("github", GITHUB, Optional.empty(), secret(TOKEN));
        secrets.set("corp", OTHER, Optional.of("bot"), secret("other"));

        assertThat(secrets.load(_ -> "x-access-token"))
                .containsExactly(
                        new Credential(OTHER, "bot", secret("other")),
                        new Credential(GITHUB, "x-access-token", secret(TOKEN)));
        assertThat(secrets.list())
                .extracting(SecretFiles.Entry::name)
                .containsExactly("corp", "github");
        assertThat(secrets.list().toString()).doesNotContain(TOKEN);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file("github"))))
                .isEqualTo("rw-------");
    }

    /// I2.
    @Test
    void i2AValueIsFoundForItsHostOnly() throws IOException {
        secrets.set("github", GITHUB, Optional.empty(), secret(TOKEN));

        assertThat(secrets.find("github", GITHUB))
                .hasValueSatisfying(found -> assertThat(found.value()).isEqualTo(secret(TOKEN)));
        assertThat(secrets.find("github", OTHER)).isEmpty();
        assertThat(secrets.find("other", GITHUB)).isEmpty();
    }

    @Test
    void replacesAsAWholeAndLeavesNothingBehind() throws IOException {
        secrets.set("github", GITHUB, Optional.empty(), secret(TOKEN));
        Files.writeString(directory.resolve("secrets/github.unfinished"), "left by a crash");
        secrets.set("github", GITHUB, Optional.empty(), secret("new"));

        assertThat(secrets.load(_ -> "x"))
                .extracting(Credential::secret)
                .containsExactly(secret("new"));
        assertThat(directory.resolve("secrets").toFile().list()).containsExactly("github.json");
    }

    @Test
    void rotatingReplacesTheValueAndNothingElse() throws IOException {
        secrets.set("corp", OTHER, Optional.of("bot"), secret(TOKEN));
        SecretFiles.Entry before = secrets.list().getFirst();
        assertThat(before.rotated()).isEmpty();
        secrets.rotate("corp", secret("new"));

        SecretFiles.Entry after = secrets.list().getFirst();
        assertThat(after.rotated()).isPresent();
        assertThat(List.of(after.name(), after.host(), after.user(), after.updated(), after.kind()))
                .isEqualTo(
                        List.of(
                                "corp",
                                OTHER,
                                Optional.of("bot"),
                                before.updated(),
                                SecretKind.BASIC));
        assertThat(secrets.load(_ -> "x"))
                .containsExactly(new Credential(OTHER, "bot", secret("new")));
        assertThat(Files.readString(file("corp"))).doesNotContain(TOKEN);
    }

    @Test
    void rotatingNeedsASecretThatIsThere() throws IOException {
        secrets.set("github", GITHUB, Optional.empty(), secret(TOKEN));
        for (String name : List.of("corp", "../github", "GITHUB", "")) {
            assertThatThrownBy(() -> secrets.rotate(name, secret("new")))
                    .isInstanceOf(ConfigException.class);
        }
        assertThat(directory.resolve("secrets").toFile().list()).containsExactly("github.json");
        assertThat(secrets.load(_ -> "x"))
                .extracting(Credential::secret)
                .containsExactly(secret(TOKEN));
    }

    /// I2: requests are signed with it, and no git host gets it.
    @Test
    void i2AKeyOfAwsIsKeptForItsHostAndNeverForGit() throws IOException {
        Secret key = AwsKey.line("AKIAEXAMPLEEXAMPLE", "k".repeat(40), Optional.empty());
        secrets.set("aws", OTHER, Optional.empty(), key);
        assertThat(secrets.list())
                .extracting(SecretFiles.Entry::kind)
                .containsExactly(SecretKind.AWS);
        assertThat(secrets.load(_ -> "x")).isEmpty();
        StoredSecret found = secrets.find("aws", OTHER).orElseThrow();
        assertThat(found.values())
                .containsExactly(secret("AKIAEXAMPLEEXAMPLE"), secret("k".repeat(40)));
        assertThat(secrets.find("aws", GITHUB)).isEmpty();
    }

    /// A file that nobody can read would keep all secrets from being used.
    @Test
    void aKeyOfAwsIsNeverReplacedByAnythingElse() throws IOException {
        Secret key = AwsKey.line("AKIAEXAMPLEEXAMPLE", "k".repeat(40), Optional.empty());
        Secret next = AwsKey.line("AKIAEXAMPLEEXAMPLE", "n".repeat(40), Optional.empty());
        secrets.set("aws", OTHER, Optional.empty(), key);
        secrets.set("github", GITHUB, Optional.empty(), secret(TOKEN));
        for (String other : List.of(TOKEN, "aws4:damaged")) {
            assertThatThrownBy(() -> secrets.rotate("aws", secret(other)))
                    .hasMessageContaining("not an access key");
        }
        assertThatThrownBy(() -> secrets.rotate("github", key))
                .hasMessageContaining("another kind");
        assertThatThrownBy(() -> secrets.set("x", OTHER, Optional.empty(), secret("aws4:damaged")))
                .hasMessageContaining("not an access key");
        assertThatThrownBy(() -> secrets.set("x", OTHER, Optional.of("me"), key))
                .hasMessageContaining("another kind");
        secrets.rotate("aws", next);
        assertThat(secrets.find("aws", OTHER))
                .hasValueSatisfying(found -> assertThat(found.value()).isEqualTo(next));
        assertThat(secrets.list()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[default]\n# mine\naws_access_key_id = AKIAEXAMPLEEXAMPLE\naws_secret_access_key=KEY\nregion = x\n",
                "export AWS_ACCESS_KEY_ID=AKIAEXAMPLEEXAMPLE\nexport AWS_SECRET_ACCESS_KEY=KEY\n",
                "{\"Version\": 1, \"AccessKeyId\": \"AKIAEXAMPLEEXAMPLE\", \"SecretAccessKey\": \"KEY\"}"
            })
    void readsAKeyOfAwsAsPeopleHaveIt(String document) throws IOException {
        String key = "k".repeat(40);
        assertThat(
                        SecretInput.readAwsKey(
                                stream(document.replace("KEY", key).replace("_" + key, "_KEY"))))
                .isEqualTo(AwsKey.line("AKIAEXAMPLEEXAMPLE", key, Optional.empty()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "AKIAEXAMPLEEXAMPLE",
                "{\"AccessKeyId\": \"AKIAEXAMPLEEXAMPLE\"}",
                "aws_access_key_id=AKIAEXAMPLEEXAMPLE\naws_secret_access_key=short-and-odd\n",
                "[a]\naws_access_key_id=AKIAEXAMPLEEXAMPLE\n[b]\naws_access_key_id=AKIAEXAMPLEEXAMPLE\n"
            })
    void refusesWhatIsNoKeyOfAws(String document) {
        assertThatThrownBy(() -> SecretInput.readAwsKey(stream(document)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("aws configure export-credentials")
                .hasMessageNotContaining("short-and-odd");
    }

    /// Files of the time when there were no kinds.
    @ParameterizedTest
    @ValueSource(strings = {"", "\"user\":\"bot\","})
    void readsFilesWithoutAKind(String user) throws IOException {
        Ownership.createPrivateFile(file("github"));
        Files.writeString(
                file("github"),
                "{\"host\":\"github.com\","
                        + user
                        + "\"updated\":\"2026-01-01T00:00:00Z\",\"value\":\"bmV3\"}");
        assertThat(secrets.list())
                .extracting(SecretFiles.Entry::kind)
                .containsExactly(user.isEmpty() ? SecretKind.TOKEN : SecretKind.BASIC);
        assertThat(secrets.load(_ -> "x"))
                .extracting(Credential::secret)
                .containsExactly(secret("new"));
    }

    @Test
    void removes() throws IOException {
        secrets.set("github", GITHUB, Optional.empty(), secret(TOKEN));
        assertThat(secrets.remove("github")).isTrue();
        assertThat(secrets.remove("github")).isFalse();
        assertThat(secrets.load(_ -> "x")).isEmpty();
    }

    @Test
    void keepsOneSecretPerHost() throws IOException {
        secrets.set("github", GITHUB, Optional.empty(), secret(TOKEN));
        assertThatThrownBy(() -> secrets.set("second", GITHUB, Optional.empty(), secret("x")))
                .hasMessageContaining("sallyport secret remove github");
        assertThat(file("second")).doesNotExist();

        Files.copy(file("github"), file("copied"));
        Files.setPosixFilePermissions(file("copied"), PosixFilePermissions.fromString("rw-------"));
        assertThatThrownBy(() -> secrets.load(_ -> "x")).hasMessageContaining("two secrets");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "A",
                "-a",
                "a_b",
                "../a",
                "a/b",
                "a.b",
                ".",
                "a\n",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
            })
    void refusesNamesThatCouldBePaths(String name) {
        assertThatThrownBy(() -> secrets.set(name, GITHUB, Optional.empty(), secret(TOKEN)))
                .isInstanceOf(ConfigException.class);
        assertThatThrownBy(() -> secrets.remove(name)).isInstanceOf(ConfigException.class);
        assertThat(directory.resolve("secrets")).isEmptyDirectory();
    }

    /// G19: a user name that ends the header or the user part.
    @ParameterizedTest
    @ValueSource(strings = {"", "a:b", "a b", "a\r\nb", "a\0", "ü"})
    void refusesUserNamesThatChangeTheHeader(String user) {
        assertThatThrownBy(() -> secrets.set("github", GITHUB, Optional.of(user), secret(TOKEN)))
                .isInstanceOf(ConfigException.class);
        assertThat(directory.resolve("secrets")).isEmptyDirectory();
    }

    @Test
    void refusesFilesThatWereLaidOpenOrRedirected() throws IOException {
        secrets.set("github", GITHUB, Optional.empty(), secret(TOKEN));
        Files.setPosixFilePermissions(file("github"), PosixFilePermissions.fromString("rw-r--r--"));
        refused("chmod 600");
        Path moved = directory.resolve("moved");
        Files.setPosixFilePermissions(file("github"), PosixFilePermissions.fromString("rw-------"));
        Files.move(file("github"), moved);
        Files.createSymbolicLink(file("github"), moved);
        refused("symlink");
        Files.delete(file("github"));
        Path place = directory.resolve("secrets");
        Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxr-xr-x"));
        refused("chmod 700");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "[]",
                "null",
                "not json s3cr3t-token-value",
                "{\"host\":\"github.com\",\"updated\":\"2026-01-01T00:00:00Z\"}",
                "{\"host\":\"GitHub.com\",\"updated\":\"2026-01-01T00:00:00Z\",\"value\":\"s3cr3t-token-value\"}",
                "{\"host\":\"github.com\",\"updated\":\"2026-01-01T00:00:00Z\",\"value\":\"\"}",
                "{\"host\":\"github.com\",\"updated\":\"x\",\"value\":\"s3cr3t-token-value\"}",
                "{\"host\":\"github.com\",\"updated\":\"2026-01-01T00:00:00Z\",\"value\":\"s3cr3t-token-value\",\"x\":\"y\"}",
                "{\"host\":\"github.com\",\"host\":\"git.corp.example\",\"updated\":\"2026-01-01T00:00:00Z\",\"value\":\"s3cr3t-token-value\"}",
                "{\"host\":\"github.com\",\"user\":\"a:b\",\"updated\":\"2026-01-01T00:00:00Z\",\"value\":\"s3cr3t-token-value\"}",
                "{\"host\":\"github.com\",\"user\":\"a:b\",\"updated\":\"2026-01-01T00:00:00Z\",\"value\":\"bmV3\"}",
                "{\"host\":\"github.com\",\"kind\":\"basic\",\"updated\":\"2026-01-01T00:00:00Z\",\"value\":\"bmV3\"}",
                "{\"host\":\"github.com\",\"kind\":\"token\",\"user\":\"bot\",\"updated\":\"2026-01-01T00:00:00Z\",\"value\":\"bmV3\"}",
                "{\"host\":\"github.com\",\"kind\":\"other\",\"updated\":\"2026-01-01T00:00:00Z\",\"value\":\"bmV3\"}",
                "{\"host\":\"github.com\",\"updated\":5,\"value\":\"bmV3\"}",
                "{\"host\":\"github.com\",\"updated\":\"2026-01-01T00:00:00Z\",\"value\":\"bmV3\"} {}",
                "{\"updated\":\"2026-01-01T00:00:00Z\",\"value\":\"bmV3\"}"
            })
    void refusesDamagedFilesWithoutQuotingThem(String text) throws IOException {
        Ownership.createPrivateFile(file("github"));
        Files.writeString(file("github"), text);
        assertThatThrownBy(() -> secrets.load(_ -> "x"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("sallyport secret set github")
                .hasMessageNotContaining(TOKEN)
                .hasNoCause();

        secrets.set("github", GITHUB, Optional.empty(), secret("new"));
        assertThat(secrets.load(_ -> "x"))
                .extracting(Credential::secret)
                .containsExactly(secret("new"));
    }

    private void refused(String because) {
        for (var attempt :
                List.<org.assertj.core.api.ThrowableAssert.ThrowingCallable>of(
                        () -> secrets.load(_ -> "x"),
                        () -> secrets.list(),
                        () -> secrets.set("corp", OTHER, Optional.empty(), secret("x")))) {
            assertThatThrownBy(attempt)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(because);
        }
        assertThat(file("corp")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tok-EN_1", "tok-EN_1\n", "tok-EN_1\r\n"})
    void readsOneLine(String text) throws IOException {
        assertThat(SecretInput.read(stream(text))).isEqualTo(secret("tok-EN_1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "\n", "\r\n", "a\nb", "a\n\n", "a b", " a", "a\0", "a\rb", "ü", "a\u007f"
            })
    void refusesInputThatIsNotOneToken(String text) {
        assertThatThrownBy(() -> SecretInput.read(stream(text)))
                .isInstanceOf(ConfigException.class);
    }

    @Test
    void refusesInputThatIsTooLong() {
        assertThatThrownBy(() -> SecretInput.read(stream("a".repeat(8_193))))
                .hasMessageContaining("more than 8192 bytes");
    }

    private static ByteArrayInputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void readsOnlyAPersonsPrivateFile() throws IOException {
        Path file = directory.resolve("token.txt");
        Files.writeString(file, TOKEN + "\n");
        for (String mode : List.of("rw-------", "r--------")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
            assertThat(SecretInput.open(file, SecretInput::read)).isEqualTo(secret(TOKEN));
        }
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        assertThatThrownBy(() -> SecretInput.open(link, SecretInput::read))
                .hasMessageContaining("symlink");
        for (String mode : List.of("rw-r-----", "rw----r--", "rw-rw----")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
            assertThatThrownBy(() -> SecretInput.open(file, SecretInput::read))
                    .hasMessageContaining("chmod 600")
                    .hasMessageNotContaining(TOKEN);
        }
        assertThatThrownBy(() -> SecretInput.open(directory, SecretInput::read))
                .hasMessageContaining("regular file");
        assertThatThrownBy(() -> SecretInput.open(directory.resolve("none"), SecretInput::read))
                .hasMessageContaining("does not exist");
    }
}
