package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.policy.HostName;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyFileTest {
    @TempDir Path directory;

    private PolicyFile load(String text) throws IOException {
        return PolicyFile.load(write(text));
    }

    private Path write(String text) throws IOException {
        Path file = directory.resolve("policy.yaml");
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        return file;
    }

    private void refused(String text, String... fragments) {
        assertThatThrownBy(() -> load(text))
                .isInstanceOf(ConfigException.class)
                .satisfies(e -> assertThat(((ConfigException) e).remedy()).isNotBlank())
                .hasMessageContainingAll(fragments);
    }

    @Test
    void meansTheDefaultsWhenThereIsNoneOrItIsEmpty() throws IOException {
        PolicyFile none = PolicyFile.load(directory.resolve("nowhere.yaml"));
        assertThat(none.limits()).isEqualTo(Limits.standard());
        assertThat(none.hosts()).containsExactly(GitHost.GITHUB);
        assertThat(load("# only a comment\n")).isEqualTo(none);
        assertThat(load("{}")).isEqualTo(none);
        assertThat(load("hosts: []\nlimits: {}\n")).isEqualTo(none);
    }

    @Test
    void podsComeOnlyWhereAccountsAreListed() throws IOException {
        assertThat(load("{}").kubernetes()).isEmpty();
        KubernetesPlace usual =
                load("kubernetes: {accounts: [agents/agent]}").kubernetes().orElseThrow();
        assertThat(usual.accounts()).containsExactly("agents/agent");
        assertThat(usual.api()).isEqualTo(new HostName("kubernetes.default.svc"));
        assertThat(usual.port()).isEqualTo(443);
        assertThat(usual.audience()).isEqualTo("sallyport");
        assertThat(usual.tokenFile())
                .isEqualTo(Path.of("/var/run/secrets/kubernetes.io/serviceaccount/token"));
        KubernetesPlace other =
                load("kubernetes: {accounts: [a/b], api: \"https://api.example:6443\", dial: \"10.0.0.1:6443\", ca-file: ca.pem}")
                        .kubernetes()
                        .orElseThrow();
        assertThat(other.port()).isEqualTo(6443);
        assertThat(other.dial()).contains("10.0.0.1:6443");
        assertThat(other.caFile()).isEqualTo(directory.resolve("ca.pem"));
        refused("kubernetes: {}", "kubernetes.accounts", "agents/agent");
        refused("kubernetes: {accounts: []}", "kubernetes.accounts");
        refused("kubernetes: {accounts: [agent]}", "kubernetes.accounts");
        refused("kubernetes: {accounts: [\"*/agent\"]}", "kubernetes.accounts");
        refused("kubernetes: {accounts: [a/b], api: \"http://api.example\"}", "kubernetes.api");
        refused("kubernetes: {accounts: [a/b], api: \"https://10.0.0.1\"}", "kubernetes.api");
        refused("kubernetes: {accounts: [a/b], audience: \"a b\"}", "kubernetes.audience");
        refused("kubernetes: {accounts: [a/b], token: x}", "kubernetes.token");
    }

    @Test
    void anIdentityIsOneLineAndReplacesWhatItNames() throws IOException {
        GitSettings bot = load("sandbox: {git-identity: {name: Bot}}").inside();
        GitIdentity own =
                new GitIdentity(Optional.of("Ada"), Optional.of("a@x.example"), Optional.empty());
        assertThat(new GitSettings(true, false, false, own).and(bot).identity())
                .isEqualTo(
                        new GitIdentity(
                                Optional.of("Bot"), Optional.of("a@x.example"), Optional.empty()));
        refused(
                "sandbox: {git-identity: {name: \"a\\n[alias]\"}}",
                "git-identity.name",
                "one line");
        refused("sandbox: {git-identity: {signing-key: x}}", "git-identity.signing-key");
    }

    @Test
    void readsHostsAndLimits() throws IOException {
        PolicyFile file =
                load(
                        """
                        hosts:
                          - name: git.corp.example
                            kind: github-enterprise
                          - name: lab.example
                            kind: gitlab
                            dial: "10.0.0.5:8443"
                          - name: six.example
                            kind: plain
                            dial: "[fd00::5]:443"
                        limits:
                          http: {head-bytes-max: 32768}
                          git:
                            push-body-bytes-max: 5000000000
                        """);
        assertThat(file.hosts()).hasSize(4).contains(GitHost.GITHUB);
        assertThat(file.host(new HostName("git.corp.example")).orElseThrow().kind())
                .isEqualTo(HostKind.GITHUB_ENTERPRISE);
        assertThat(file.host(new HostName("lab.example")).orElseThrow().dial())
                .contains("10.0.0.5:8443");
        assertThat(file.host(new HostName("other.example"))).isEmpty();
        assertThat(file.limits().http().headBytesMax()).isEqualTo(32_768);
        assertThat(file.limits().http().headFieldsMax())
                .isEqualTo(Limits.standard().http().headFieldsMax());
        assertThat(file.limits().git().pushBodyBytesMax()).isEqualTo(5_000_000_000L);
    }

    @Test
    void namesFileLineKeyAndRemedy() {
        refused(
                "limits:\n  http:\n    head-byte-max: 1\n",
                "policy.yaml:3: limits.http.head-byte-max is not a known key.",
                "Known here: head-bytes-max, ");
        refused(
                "hosts:\n  - name: a.example\n    kind: gitlab\n  - name: A.example\n",
                "policy.yaml:4: hosts[1].name is not a host name",
                "lower case");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hosts: [",
                "hosts: &a []",
                "hosts: &a []\nlimits: *a",
                "hosts: !!seq []",
                "hosts: !x []",
                "limits: !!map {}",
                "limits: {http: {head-bytes-max: !!int 2048}}",
                "hosts: []\nhosts: []",
                "limits: {http: {head-bytes-max: 2048, head-bytes-max: 2048}}",
                "hosts: []\n---\nlimits: {}",
                "%YAML 1.2\n---\nhosts: []",
                "[]",
                "text",
                "hosts:",
                "hosts: {}",
                "hosts: text",
                "hosts: [text]",
                "limits:",
                "limits: []",
                "limits: {http: 5}",
                "limits: {http: }",
                "Git: []",
                "Hosts: []",
                "1: 2",
                "? [a]\n: b",
                "<<: {hosts: []}",
                "hosts: [{name: a.example}]",
                "hosts: [{kind: gitlab}]",
                "hosts: [{name: a.example, kind: GitLab}]",
                "hosts: [{name: a.example, kind: gitlab, extra: 1}]",
                "hosts: [{name: a.example, kind: gitlab}, {name: a.example, kind: gitea}]",
                "hosts: [{name: 127.0.0.1, kind: plain}]",
                "hosts: [{name: a.example., kind: plain}]",
                "hosts: [{name: 1.5, kind: plain}]",
                "hosts: [{name: gateway.sallyport, kind: plain}]",
                "hosts: [{name: a.example, kind: plain, ca-file: missing.pem}]",
                "hosts: [{name: a.example, kind: plain, ca-file: policy.yaml}]",
                "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]"
            })
    void refusesWhatIsNotPlainAndKnown(String text) {
        refused(text, "policy.yaml");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.5",
                "10.0.0.5:",
                "10.0.0.5:0",
                "10.0.0.5:65536",
                "10.0.0.5:080",
                "010.0.0.5:443",
                "10.0.5:443",
                "256.0.0.1:443",
                "0x7f.0.0.1:443",
                "localhost:443",
                "a.example:443",
                "[::1%lo]:443",
                "[::g]:443",
                "[:::]:443",
                "::1:443",
                ":443",
                "10.0.0.5:443 ",
                "10.0.0.5:443x"
            })
    void refusesToDialAnythingButAnAddressAndPort(String dial) {
        refused(
                "hosts: [{name: a.example, kind: plain, dial: \"" + dial + "\"}]",
                "hosts[0].dial is not an address and port");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-1",
                "1023",
                "262145",
                "99999999999999999999999",
                "1e3",
                "1.5",
                "\"2048\"",
                "0x800",
                "02048",
                "2_048",
                "true",
                "null",
                "[]",
                "unlimited",
                ".inf"
            })
    void refusesLimitsOutOfRangeOrNotWhole(String value) {
        refused(
                "limits: {http: {head-bytes-max: " + value + "}}",
                "limits.http.head-bytes-max",
                "between 1024 and 262144");
    }

    @Test
    void refusesAShareLargerThanTheWhole() {
        refused(
                "limits: {sharing: {connections-per-sandbox-max: 100, connections-total-max: 50}}",
                "limits.sharing a sandbox's share");
    }

    @Test
    void refusesAFileThatOthersCanWriteOrRedirect() throws IOException {
        Path file = write("hosts: []");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThatThrownBy(() -> PolicyFile.load(file)).hasMessageContaining("chmod go-w");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Path link = Files.createSymbolicLink(directory.resolve("link.yaml"), file);
        assertThatThrownBy(() -> PolicyFile.load(link)).hasMessageContaining("symlink");
        Path dangling =
                Files.createSymbolicLink(directory.resolve("d.yaml"), directory.resolve("none"));
        assertThatThrownBy(() -> PolicyFile.load(dangling)).hasMessageContaining("symlink");
    }

    @Test
    void refusesBytesThatAreNotText() throws IOException {
        Path file = write("");
        Files.write(file, new byte[] {'a', ':', ' ', (byte) 0xff});
        assertThatThrownBy(() -> PolicyFile.load(file)).hasMessageContaining("UTF-8");
    }

    @Test
    void saysThatAFileWithCertificatesIsMissing() {
        refused(
                "hosts: [{name: a.example, kind: plain, ca-file: missing.pem}]",
                "hosts[0].ca-file cannot be used: " + directory.resolve("missing.pem"),
                "does not exist",
                "Copy the CA's certificates there");
    }

    @Test
    void readsCertificatesBesideTheFile() throws IOException, InterruptedException {
        Path pem = directory.resolve("ca.pem");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                "ca",
                                "-keyalg",
                                "EC",
                                "-dname",
                                "CN=ca",
                                "-keystore",
                                directory.resolve("ks").toString(),
                                "-storepass",
                                "changeit")
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("log").toFile())
                        .start();
        assertThat(keytool.waitFor()).isZero();
        Process export =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-exportcert",
                                "-rfc",
                                "-alias",
                                "ca",
                                "-file",
                                pem.toString(),
                                "-keystore",
                                directory.resolve("ks").toString(),
                                "-storepass",
                                "changeit")
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("log").toFile())
                        .start();
        assertThat(export.waitFor()).isZero();
        String text = "hosts: [{name: a.example, kind: plain, ca-file: ca.pem}]";
        assertThat(load(text).host(new HostName("a.example")).orElseThrow().caPem().orElseThrow())
                .contains("BEGIN CERTIFICATE");

        Files.writeString(pem, Files.readString(pem) + "-----BEGIN PRIVATE KEY-----\n");
        refused(text, "hosts[0].ca-file must contain only certificates");
        Files.setPosixFilePermissions(pem, PosixFilePermissions.fromString("rw-rw-rw-"));
        refused(text, "hosts[0].ca-file cannot be used", "chmod go-w");
    }

    @Test
    void knowsARangeForEveryLimitAndTheDefaultIsWithin() {
        Limits standard = Limits.standard();
        for (RecordComponent group : Limits.class.getRecordComponents()) {
            Object values = PolicyFile.LimitsReader.value(group, standard);
            for (RecordComponent limit : group.getType().getRecordComponents()) {
                String key = group.getName() + "." + PolicyFile.LimitsReader.kebab(limit.getName());
                LimitRange range = PolicyFile.LimitsReader.range(limit);
                long value = ((Number) PolicyFile.LimitsReader.value(limit, values)).longValue();
                assertThat(value).as(key).isBetween(range.min(), range.max());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"http,headBytesMax", "sharing,connectionsPerSandboxMax"})
    void namesLimitsLikeTheirComponents(String group, String component) throws IOException {
        String key = PolicyFile.LimitsReader.kebab(component);
        assertThat(load("limits: {" + group + ": {" + key + ": 2000}}").limits())
                .isNotEqualTo(Limits.standard());
    }

    /// The reference lists every limit with the numbers that the code has.
    @Test
    void isDocumentedLimitByLimit() throws IOException {
        String reference = Files.readString(Path.of("docs/protocol/policy.md"));
        for (RecordComponent group : Limits.class.getRecordComponents()) {
            Object values = PolicyFile.LimitsReader.value(group, Limits.standard());
            for (RecordComponent limit : group.getType().getRecordComponents()) {
                String key = group.getName() + "." + PolicyFile.LimitsReader.kebab(limit.getName());
                LimitRange range = PolicyFile.LimitsReader.range(limit);
                Object value = PolicyFile.LimitsReader.value(limit, values);
                assertThat(reference)
                        .containsPattern(
                                "(?m)^\\| `"
                                        + key
                                        + "` \\|.*\\| "
                                        + value
                                        + " \\| "
                                        + range.min()
                                        + " \\| "
                                        + range.max()
                                        + " \\|$");
            }
        }
    }
}
