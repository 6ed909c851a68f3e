package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.exceptionfactory.jagged.x25519.X25519KeyPairGenerator;
import dev.sallyport.credential.Credential;
import dev.sallyport.credential.Secret;
import dev.sallyport.policy.HostName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Secrets on disk when a key is configured, and the change from plain ones.
class SealedFilesTest {
    private static final HostName GITHUB = new HostName("github.com");
    private static final HostName OTHER = new HostName("git.corp.example");
    private static final String TOKEN = "s3cr3t-token-value";

    @TempDir Path directory;
    private Path place = Path.of("unset");
    private Path keyFile = Path.of("unset");

    @BeforeEach
    void open() throws Exception {
        place = directory.resolve("secrets");
        keyFile = directory.resolve("key.txt");
        Ownership.createPrivateDirectory(place);
        write(keyFile, "# made for this test\n" + identity() + "\n");
    }

    private static String identity() throws NoSuchAlgorithmException {
        byte[] encoded = new X25519KeyPairGenerator().generateKeyPair().getPrivate().getEncoded();
        return new String(encoded, StandardCharsets.US_ASCII);
    }

    private static void write(Path file, String text) throws IOException {
        Files.deleteIfExists(file);
        Ownership.createPrivateFile(file);
        Files.writeString(file, text);
    }

    private static Secret secret(String text) {
        return Secret.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private SecretFiles plain() {
        return new SecretFiles(new SealedFiles(place, Optional.empty()));
    }

    private SecretFiles sealed() {
        return new SecretFiles(new SealedFiles(place, Optional.of(new AgeKey(keyFile))));
    }

    private List<Secret> values(SecretFiles files) throws IOException {
        return files.load(_ -> "x").stream().map(Credential::secret).toList();
    }

    /// Every byte that is on disk in the directory.
    private String onDisk() throws IOException {
        StringBuilder all = new StringBuilder();
        try (var files = Files.list(place)) {
            for (Path file : files.sorted().toList()) {
                all.append(file.getFileName()).append('\n');
                all.append(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
            }
        }
        return all.toString();
    }

    private static String base64() {
        return Base64.getEncoder().encodeToString(TOKEN.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aSecretLiesEncryptedAndIsReadBack() throws IOException {
        sealed().set("github", GITHUB, Optional.empty(), secret(TOKEN));
        assertThat(onDisk())
                .startsWith("github.age\nage-encryption.org/v1")
                .doesNotContain(TOKEN, base64(), "github.com");
        assertThat(values(sealed())).containsExactly(secret(TOKEN));
        sealed().rotate("github", secret("new"));
        assertThat(values(sealed())).containsExactly(secret("new"));
        assertThat(sealed().remove("github")).isTrue();
        assertThat(place).isEmptyDirectory();
    }

    @Test
    void plainFilesAreRefusedUntilTheyAreEncrypted() throws IOException {
        plain().set("github", GITHUB, Optional.empty(), secret(TOKEN));
        plain().set("corp", OTHER, Optional.of("bot"), secret("other"));
        assertThat(onDisk()).as("positive control").contains(base64());
        assertThatThrownBy(() -> sealed().list())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("sallyport secret encrypt");
        assertThatThrownBy(
                        () ->
                                sealed().set(
                                                "x",
                                                new HostName("x.example"),
                                                Optional.empty(),
                                                secret("x")))
                .isInstanceOf(ConfigException.class);

        assertThat(sealed().seal()).isEqualTo(2);
        assertThat(onDisk()).doesNotContain(TOKEN, base64(), ".json");
        assertThat(values(sealed())).containsExactly(secret("other"), secret(TOKEN));
        assertThat(sealed().list())
                .extracting(SecretFiles.Entry::kind)
                .containsExactly(SecretKind.BASIC, SecretKind.TOKEN);
        assertThat(sealed().seal()).as("again changes nothing").isEqualTo(2);
    }

    @Test
    void encryptedFilesAreRefusedWithoutAKeyAndStay() throws IOException {
        sealed().set("github", GITHUB, Optional.empty(), secret(TOKEN));
        String before = onDisk();
        assertThatThrownBy(() -> plain().list()).hasMessageContaining("key-file");
        assertThatThrownBy(() -> plain().rotate("github", secret("new")))
                .hasMessageContaining("key-file");
        assertThat(onDisk()).isEqualTo(before);
    }

    @Test
    void withoutTheRightKeyNothingOpensNothingIsWrittenAndNothingIsLost() throws Exception {
        sealed().set("github", GITHUB, Optional.empty(), secret(TOKEN));
        String before = onDisk();
        String right = Files.readString(keyFile);

        Files.delete(keyFile);
        refused("Restore it");
        write(keyFile, identity());
        refused("cannot be decrypted");
        for (String wrong :
                List.of("", "\n# only a comment\n", "x", right + "x\n", right.substring(0, 60))) {
            write(keyFile, wrong);
            refused("age-keygen");
        }
        write(keyFile, right);
        Files.setPosixFilePermissions(keyFile, PosixFilePermissions.fromString("rw-r--r--"));
        refused("chmod 600");
        Files.delete(keyFile);
        write(directory.resolve("real.txt"), right);
        Files.createSymbolicLink(keyFile, directory.resolve("real.txt"));
        refused("symlink");

        Files.delete(keyFile);
        write(keyFile, right);
        assertThat(onDisk()).isEqualTo(before);
        assertThat(values(sealed())).containsExactly(secret(TOKEN));
    }

    private void refused(String because) {
        for (var attempt :
                List.<org.assertj.core.api.ThrowableAssert.ThrowingCallable>of(
                        () -> sealed().load(_ -> "x"),
                        () -> sealed().list(),
                        () -> sealed().seal(),
                        () -> sealed().rotate("github", secret("new")))) {
            assertThatThrownBy(attempt)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(because)
                    .hasMessageNotContaining("SECRET-KEY")
                    .hasNoCause();
        }
    }

    @Test
    void aFileThatWasChangedDoesNotOpen() throws IOException {
        sealed().set("github", GITHUB, Optional.empty(), secret(TOKEN));
        Path file = place.resolve("github.age");
        byte[] right = Files.readAllBytes(file);
        for (int at : new int[] {0, 25, 60, right.length / 2, right.length - 1}) {
            byte[] wrong = right.clone();
            wrong[at] ^= 1;
            Files.write(file, wrong);
            assertThatThrownBy(() -> sealed().list()).hasMessageContaining("cannot be decrypted");
        }
        for (int length : new int[] {0, 10, right.length - 1}) {
            Files.write(file, java.util.Arrays.copyOf(right, length));
            assertThatThrownBy(() -> sealed().list()).hasMessageContaining("cannot be decrypted");
        }
        Files.write(file, right);
        assertThat(values(sealed())).containsExactly(secret(TOKEN));
    }

    @Test
    void aKeyIsReplacedByEncryptingAnewWithBothInTheFile() throws Exception {
        sealed().set("github", GITHUB, Optional.empty(), secret(TOKEN));
        String old = Files.readString(keyFile);
        String next = identity();
        write(keyFile, next + "\n" + old);
        assertThat(values(sealed())).containsExactly(secret(TOKEN));
        assertThat(sealed().seal()).isEqualTo(1);
        write(keyFile, next);
        assertThat(values(sealed())).containsExactly(secret(TOKEN));
        write(keyFile, old);
        assertThatThrownBy(() -> sealed().list()).hasMessageContaining("cannot be decrypted");
    }

    @Test
    void aCrashBetweenTheTwoFormsIsRepairedAndLeavesNoPlainText() throws IOException {
        plain().set("github", GITHUB, Optional.empty(), secret(TOKEN));
        byte[] left = Files.readAllBytes(place.resolve("github.json"));
        sealed().seal();
        sealed().rotate("github", secret("newer"));
        for (String name : List.of("github.json", "corp.unfinished")) {
            Ownership.createPrivateFile(place.resolve(name));
            Files.write(place.resolve(name), left);
        }
        assertThatThrownBy(() -> sealed().list()).hasMessageContaining("secret encrypt");
        assertThat(sealed().seal()).isEqualTo(1);
        assertThat(onDisk()).doesNotContain(base64());
        assertThat(values(sealed())).containsExactly(secret("newer"));
    }

    @Test
    void policyNamesTheKeyAndKeepsItAwayFromWhatItEncrypts() throws IOException {
        Path policy = directory.resolve("policy.yaml");
        write(policy, "secrets: {key-file: ../elsewhere/key.txt}\n");
        assertThat(PolicyFile.load(policy).key())
                .contains(new AgeKey(directory.resolveSibling("elsewhere/key.txt")));
        for (String wrong :
                List.of(
                        "secrets: {}\n",
                        "secrets: {key-file: 5}\n",
                        "secrets: {key-file: key.txt, more: 1}\n",
                        "secrets: {key-file: secrets/key.txt}\n",
                        "secrets: {key-file: x/../secrets/key.txt}\n")) {
            Files.writeString(policy, wrong);
            assertThatThrownBy(() -> PolicyFile.load(policy))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("policy.yaml:1: secrets");
        }
        Files.writeString(policy, "limits: {}\n");
        assertThat(PolicyFile.load(policy).key()).isEmpty();
    }
}
