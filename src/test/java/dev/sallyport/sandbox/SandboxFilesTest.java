package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.GitIdentity;
import dev.sallyport.config.GitSettings;
import dev.sallyport.fixture.Command;
import dev.sallyport.git.TestPki;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.SessionId;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SandboxFilesTest {
    private static final Person PERSON = new Person(1000, 1000, "me", Path.of("/home/me"));

    @TempDir Path directory;

    private SandboxSpec spec() {
        SessionId id = SessionId.random();
        return new SandboxSpec(
                id,
                "x",
                RuntimeKind.BUBBLEWRAP,
                directory,
                Optional.empty(),
                new Installation(directory).sandboxes().resolve(id.value()),
                new TreeSet<>(
                        List.of(new HostName("github.com"), new HostName("git.corp.example"))),
                GitSettings.STANDARD,
                Optional.empty(),
                Mounts.NONE,
                new Resources(Optional.empty(), Optional.empty(), Optional.empty(), 1 << 30),
                Hardening.USUAL,
                SandboxHome.BARE);
    }

    @Test
    void onlyTheOwnerEntersTheDirectoryAndAnyImagesUserReadsTheFiles() throws Exception {
        SandboxSpec spec = spec();
        SandboxFiles.write(spec, Person.current());
        assertThat(Files.getPosixFilePermissions(spec.files()))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        Person own = Person.current();
        Person guest = new Person(own.uid() + 1, own.gid(), "guest", own.home());
        SandboxFiles.write(spec, guest);
        assertThat(Files.getPosixFilePermissions(spec.files()))
                .as("a guest's, whose programs read it too")
                .isEqualTo(PosixFilePermissions.fromString("rwxr-xr-x"));
        SandboxFiles.write(spec, PERSON);
        assertThat(Files.getPosixFilePermissions(spec.files().resolve("resolv.conf")))
                .isEqualTo(PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(spec.files().resolve("passwd")).content().contains("me:x:1000:1000::/home/me");

        SandboxFiles.remove(spec.files());
        assertThat(spec.files()).doesNotExist();
        SandboxFiles.remove(spec.files());
    }

    @Test
    void aSandboxWithAnAuthorityTrustsItBesidesTheHosts() throws Exception {
        String pem = new TestPki().caPem();
        SandboxSpec spec = spec().trusting(pem);
        SandboxFiles.write(spec, PERSON);

        assertThat(spec.files().resolve("sandbox-ca.crt")).hasContent(pem);
        assertThat(spec.files().resolve("ca-bundle.crt")).content().contains(pem);
        KeyStore store =
                KeyStore.getInstance(
                        spec.files().resolve("cacerts.p12").toFile(), "changeit".toCharArray());
        X509Certificate own =
                (X509Certificate)
                        CertificateFactory.getInstance("X.509")
                                .generateCertificate(
                                        new ByteArrayInputStream(
                                                pem.getBytes(StandardCharsets.US_ASCII)));
        assertThat(store.getCertificateAlias(own)).isNotNull();
        long inBundle =
                Files.readString(spec.files().resolve("ca-bundle.crt"))
                        .lines()
                        .filter(line -> line.startsWith("-----BEGIN"))
                        .count();
        assertThat(store.size()).isEqualTo((int) inBundle);
        try (InputStream in = Files.newInputStream(spec.files().resolve("cacerts.p12"))) {
            KeyStore open = KeyStore.getInstance("PKCS12");
            open.load(in, null);
            assertThat(open.size())
                    .as("what can be read without work for a password")
                    .isEqualTo((int) inBundle);
        }
        assertThat(SandboxTrust.variables(spec))
                .containsEntry("SSL_CERT_FILE", "/etc/sallyport/ca-bundle.crt")
                .containsEntry("NODE_EXTRA_CA_CERTS", "/etc/sallyport/sandbox-ca.crt");
    }

    @Test
    void aSandboxWithoutOneHasNothingOfThat() throws Exception {
        SandboxSpec spec = spec();
        SandboxFiles.write(spec, PERSON);

        assertThat(SandboxTrust.variables(spec)).isEmpty();
        assertThat(SandboxTrust.files(spec)).isEmpty();
        assertThat(spec.files().resolve("ca-bundle.crt")).doesNotExist();
        assertThat(spec.files().resolve("cacerts.p12")).doesNotExist();
    }

    @Test
    void everyGitHostIsRewrittenUnlessThePersonSaysOtherwise() {
        String rewritten = GitConfig.of(spec().gitHosts(), GitSettings.STANDARD);
        String plain =
                GitConfig.of(
                        spec().gitHosts(), new GitSettings(false, false, false, GitIdentity.NONE));

        assertThat(rewritten)
                .contains(
                        "[url \"http://github.com/\"]",
                        "insteadOf = https://git.corp.example/",
                        "insteadOf = git@git.corp.example:",
                        "insteadOf = ssh://git@github.com/");
        assertThat(plain).doesNotContain("insteadOf").contains("hooksPath");
    }

    /// With the real git, all of whose files are turned off.
    @Test
    void everyGitHostIsRewrittenWithoutFilesAsWell() {
        Command git = Command.of("git", "ls-remote", "--get-url", "git@git.corp.example:a/b");
        SandboxEnvironment.common(spec()).forEach(git::with);
        assertThat(git.with("GIT_CONFIG_SYSTEM", "/dev/null").in(directory).run().ok())
                .isEqualTo("http://git.corp.example/a/b");
    }

    @Test
    void leftoversOfOneRuntimeAreRemovedAndAnothersStay() throws Exception {
        SandboxSpec gone = spec();
        SandboxSpec kept = spec();
        SandboxFiles.write(gone, PERSON);
        SandboxFiles.write(kept, PERSON);

        LeftoverFiles.remove(new Installation(directory), RuntimeKind.DOCKER, Set.of());
        assertThat(gone.files()).exists();
        LeftoverFiles.remove(
                new Installation(directory), RuntimeKind.BUBBLEWRAP, Set.of(kept.id()));
        assertThat(gone.files()).doesNotExist();
        assertThat(kept.files()).exists();
    }

    @Test
    void aVariableNameThatIsShellCodeIsRefused() {
        for (String name : List.of("a b", "X;id", "", "1A", "A=B", "A\nB")) {
            assertThatThrownBy(
                            () -> SandboxEnvironment.with(new TreeMap<>(), Map.of(name, "value")))
                    .isInstanceOf(SandboxException.class);
        }
    }

    @Test
    void theEnvironmentHoldsNothingOfThisProcess() {
        // Five settings of git, and four spellings of each of two hosts.
        assertThat(SandboxEnvironment.of(spec(), PERSON, false))
                .containsEntry("HOME", "/home/me")
                .containsEntry("GIT_CONFIG_COUNT", "13")
                .doesNotContainKeys("GIT_CONFIG_NOSYSTEM", "SSH_AUTH_SOCK", "TERM", "EMAIL")
                .hasSize(11 + 2 * 13);
    }
}
