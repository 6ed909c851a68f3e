package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.AuditLog;
import dev.sallyport.config.Presets;
import dev.sallyport.config.ProjectFile;
import dev.sallyport.fixture.AuditLogs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a person is told about the policy, and what `policy` writes for them.
class PolicyCommandsTest {
    private static final String SESSION = "0123456789abcdef";
    private static final String VIEW =
            """
            {"name":"work","session":"0123456789abcdef","runtime":"bubblewrap","state":"running","image":null,\
            "workspace":"/w","repos":[{"repo":"github.com/acme/app","access":"read","refsVisible":null,"branches":[],"force":false,"delete":false,"tags":false,"refsTrusted":[],\
            "pathsDenied":[],"pathsAllowed":null,"packBytesMax":1073741824,"fileBytesMax":104857600,"commitsMax":10000,"secrets":"deny","author":[],"mirror":"auto"}],\
            "egress":[],"learn":false,"policyDigest":"d","identity":null,"usage":{"requests":1,"bytesUp":2,"bytesDown":3,"pushes":0},\
            "created":"2026-01-01T00:00:00Z","lastUsed":"2026-01-01T00:00:00Z",\
            "expires":"2026-01-02T00:00:00Z","git":{"rewrite":true,"hooks":false,"localClones":false,"identity":{"name":null,"email":null,"defaultBranch":null}},"ephemeral":false,\
            "life":{"idleEnd":"2026-01-02T00:00:00Z","absoluteEnd":"2026-01-08T00:00:00Z","latestEnd":"2026-02-01T00:00:00Z","requestsMax":null,"bytesMax":null,"pushesMax":null},\
            "verified":null,\
            "mounts":{"extra":[],"hidden":[],"searched":true},\
            "resources":{"memoryBytes":null,"milliCpus":null,"processes":null,"fileBytes":1048576},
            "hardening":{"user":"usual","process":null,"runtimeClass":null,"ownUserNamespace":null},"published":[],"notices":[]}""";

    @TempDir Path temporary;
    private Path directory;
    private FakeWarden warden;
    private Shell shell;

    @BeforeEach
    void startWarden() throws IOException {
        directory = temporary.toRealPath();
        warden = FakeWarden.start(directory);
        warden.answer("GET /v1/sandboxes/work", 200, VIEW);
        shell = new Shell(warden.home(), directory, directory);
        policy(
                """
                git:
                  - repo: github.com/acme/app
                    access: read
                egress:
                  - host: docs.example.com
                  - host: api.example.com
                    methods: [GET]
                    paths: ["/v1/**"]
                  - tcp: db.example.com:5432
                """);
    }

    @AfterEach
    void stopWarden() throws IOException {
        warden.close();
    }

    private void policy(String yaml) throws IOException {
        privateFile(warden.home().policyFile(), yaml);
    }

    private static void privateFile(Path file, String text) throws IOException {
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private int run(String... arguments) {
        return shell.run("", arguments);
    }

    private JsonNode json() throws IOException {
        return new ObjectMapper().readTree(shell.out());
    }

    @ParameterizedTest
    @CsvSource({
        "docs.example.com, GET, 0, allowed (tunnelled) by @:5",
        "https://docs.example.com/any, POST, 0, allowed (tunnelled) by @:5",
        "http://docs.example.com/any, GET, 0, allowed (plain) by @:5",
        "https://api.example.com/v1/x, GET, 0, allowed (inspected) by @:6",
        "https://api.example.com/v1/x, POST, 1, denied by @:6: method-not-allowed",
        "https://api.example.com/v2, GET, 1, denied by @:6: url-not-allowed",
        "https://api.example.com/v1/../v2, GET, 1, denied: url-not-allowed",
        "https://api.example.com:8443/v1/x, GET, 1, denied: port-not-allowed",
        "https://other.example.com/, GET, 1, denied: no rule allows https://other.example.com/ (name-not-allowed)",
        "db.example.com:5432, GET, 0, allowed (any protocol) by @:9",
        "db.example.com:5433, GET, 1, denied: port-not-allowed",
        "docs.example.com:443, GET, 0, allowed (tunnelled) by @:5",
    })
    void explainNamesTheRuleByFileAndLine(String asked, String method, int status, String text)
            throws IOException {
        assertThat(run("policy", "explain", asked, "--method", method)).isEqualTo(status);
        String place = warden.home().policyFile().toString();
        assertThat(shell.out()).isEqualTo(text.replace("@", place) + "\n");
        assertThat(warden.asked()).isEmpty();
        assertThat(run("policy", "explain", asked, "--method", method, "--json")).isEqualTo(status);
        assertThat(json().path("allowed").asBoolean()).isEqualTo(status == 0);
    }

    /// No entry grants by itself, and a repository without one is not thereby refused.
    @Test
    void explainSaysWhatARepositoryNeeds() {
        assertThat(run("policy", "explain", "acme/app")).isZero();
        assertThat(shell.out())
                .startsWith("allowed (read) by " + warden.home().policyFile() + ":2,")
                .contains("--repo github.com/acme/app");
        assertThat(run("policy", "explain", "github.com/acme/other")).isZero();
        assertThat(shell.out()).startsWith("allowed (write) by the standard rules, ");
        assertThat(run("policy", "explain", "git.example.org/acme/app")).isEqualTo(1);
        assertThat(shell.out()).isEqualTo("denied: repo-unavailable\n");
    }

    @ParameterizedTest
    @CsvSource({
        "acme/app/pulls, GET, 0, 'allowed (pull-read) by @:2, to a sandbox made with --repo github.com/acme/app'",
        "acme/app/pulls, POST, 1, denied by @:2: operation-not-allowed (pull-open)",
        "acme/app/pulls/1/merge, PUT, 1, denied by @:2: operation-not-allowed (never allowed)",
        "acme/other/pulls, POST, 0, 'allowed (pull-open) by the standard rules, to a sandbox made with --repo github.com/acme/other'",
        "acme/other/issues, POST, 1, denied by the standard rules: operation-not-allowed (issue-open)",
    })
    void explainSpeaksOfOperationsOfAnApi(String path, String method, int status, String text) {
        String url = "https://api.github.com/repos/" + path;
        assertThat(run("policy", "explain", url, "--method", method)).isEqualTo(status);
        String place = warden.home().policyFile().toString();
        assertThat(shell.out()).isEqualTo(text.replace("@", place) + "\n");
    }

    @Test
    void explainAsksASandboxForWhatItMayDo() {
        assertThat(run("policy", "explain", "acme/app", "--sandbox", "work")).isZero();
        assertThat(shell.out()).isEqualTo("allowed (read)\n");
        assertThat(run("policy", "explain", "acme/other", "--sandbox", "work")).isEqualTo(1);
        assertThat(run("policy", "explain", "docs.example.com", "--sandbox", "work")).isEqualTo(1);
        assertThat(warden.asked()).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"https://me@example.com/", "a_b", "a/b/c/d", "127.0.0.1", "Example.com"})
    void explainRefusesWhatIsNoName(String asked) {
        assertThat(run("policy", "explain", asked)).isEqualTo(64);
        assertThat(shell.out()).isEmpty();
    }

    @Test
    void checkNamesFileAndLineOfAnError() throws IOException {
        assertThat(run("policy", "check")).isZero();
        assertThat(shell.out())
                .endsWith(" is valid: 1 git host, 1 repository rule, 3 host rules.\n");
        Path other = directory.resolve("other.yaml");
        privateFile(other, "egress:\n  - hots: a.example\n");
        assertThat(run("policy", "check", "other.yaml")).isEqualTo(77);
        assertThat(shell.err()).contains(other + ":2: ").contains("hots");
    }

    @Test
    void checkAndTrustPassWarningsOn() throws IOException {
        privateFile(directory.resolve(".npmrc"), "registry=https://127.0.0.1/npm/\n");
        policy("egress:\n  - preset: npm\n");
        Path project = directory.resolve(ProjectFile.NAME);
        privateFile(project, "egress:\n  - preset: npm\n");

        assertThat(run("policy", "check")).isZero();
        assertThat(shell.err()).contains("! ").contains(".npmrc:1: an address is left out");
        assertThat(run("policy", "check", "--json")).isZero();
        assertThat(json().path("warnings").path(0).asText()).contains(".npmrc:1: ");
        assertThat(run("policy", "trust")).isZero();
        assertThat(shell.err()).contains("! ").contains(".npmrc:1: an address is left out");
        assertThat(run("policy", "trust", "--json")).isZero();
        assertThat(json().path("warnings").path(0).asText()).contains(".npmrc:1: ");
    }

    @Test
    void presetsAreListedWithTheirRules() throws IOException {
        assertThat(run("policy", "presets")).isZero();
        assertThat(shell.out()).contains(Presets.names());
        assertThat(run("policy", "presets", "--json")).isZero();
        assertThat(json()).hasSameSizeAs(Presets.names());
        assertThat(json()).allMatch(preset -> !preset.path("rules").isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"dnsmasq", "tinyproxy", "nftables"})
    void exportWritesTheFilesAndTheirSums(String format) throws IOException {
        assertThat(run("policy", "export", "--format", format, "--output", "out/deep")).isZero();
        Path target = directory.resolve("out/deep");
        assertThat(shell.out()).contains(format + ".conf", "SHA256SUMS");
        assertThat(target.resolve(format + ".conf")).isNotEmptyFile();
        assertThat(Files.readString(target.resolve("SHA256SUMS"))).contains(format + ".conf");
    }

    @Test
    void exportTakesNoOtherFormatAndNoConfigurationAsResolver() {
        assertThat(run("policy", "export", "--format", "squid", "--output", "out")).isEqualTo(64);
        String planted = "192.0.2.53\nlog-queries";
        assertThat(
                        run(
                                "policy",
                                "export",
                                "--format",
                                "dnsmasq",
                                "--output",
                                "out",
                                "--resolver",
                                planted))
                .isEqualTo(64);
        assertThat(directory.resolve("out")).doesNotExist();
    }

    @Test
    void suggestKnowsOnlyWhatThatSessionWasLetThroughWith() throws IOException {
        try (AuditLog log = AuditLogs.open(warden.home().auditLog())) {
            log.append(event(SESSION, "learned", "seen.example", "8443"));
            log.append(event(SESSION, "allow", "ruled.example", "443"));
            log.append(event(SESSION, "deny", "denied.example", "443"));
            log.append(event("fedcba9876543210", "learned", "foreign.example", "443"));
        }
        assertThat(run("policy", "suggest", "work")).isZero();
        String suggested = shell.out();
        assertThat(suggested)
                .startsWith("# Learned by the session " + SESSION)
                .contains("- host: seen.example", "ports: [8443]")
                .doesNotContain("ruled.example", "denied.example", "foreign.example");
        assertThat(run("policy", "suggest", SESSION)).isZero();
        assertThat(shell.out()).isEqualTo(suggested);

        privateFile(directory.resolve("suggested.yaml"), suggested);
        assertThat(run("policy", "check", "suggested.yaml")).isZero();
        assertThat(shell.out()).contains("1 host rule.");
    }

    private static AuditEvent event(String session, String decision, String host, String port) {
        return new AuditEvent(
                "egress.connect", session, decision, Map.of("host", host, "port", port));
    }

    /// I7.
    @Test
    void aProjectFileIsTrustedAsItIsAndNotWhenItChanged() throws IOException {
        warden.answer("POST /v1/sandboxes", 200, VIEW);
        Path work = Files.createDirectory(directory.resolve("project"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), work);
        privateFile(work.resolve(ProjectFile.NAME), "egress:\n  - host: a.example\n");
        assertThat(warningOfNew(work)).contains("is not trusted in its current state");

        String named = link.resolve(ProjectFile.NAME).toString();
        assertThat(run("policy", "trust", named)).isZero();
        assertThat(shell.out()).contains("trusted: " + work).contains("a.example");
        assertThat(warningOfNew(work)).doesNotContain("trusted");

        privateFile(work.resolve(ProjectFile.NAME), "egress:\n  - host: b.example\n");
        assertThat(warningOfNew(work)).contains("is not trusted in its current state");
        assertThat(run("policy", "trust", named)).isZero();
        assertThat(warningOfNew(work)).doesNotContain("trusted");
        assertThat(run("policy", "trust", named, "--forget")).isZero();
        assertThat(warningOfNew(work)).contains("is not trusted in its current state");
    }

    private String warningOfNew(Path workspace) {
        assertThat(run("new", "--no-repo", "--workspace", workspace.toString())).isZero();
        return shell.err();
    }

    @Test
    void whatIsNoProjectFileIsNotTrusted() throws IOException {
        Path file = directory.resolve(ProjectFile.NAME);
        assertThat(run("policy", "trust")).isEqualTo(64);
        assertThat(run("policy", "trust", "/")).isEqualTo(64);
        privateFile(directory.resolve("real.yaml"), "egress: []\n");
        assertThat(run("policy", "trust", "real.yaml")).isEqualTo(64);
        Files.createSymbolicLink(file, directory.resolve("real.yaml"));
        assertThat(run("policy", "trust")).isEqualTo(64);
        Files.delete(file);
        privateFile(file, "#".repeat((1 << 20) + 1));
        assertThat(run("policy", "trust")).isEqualTo(77);
        privateFile(file, "git: []\n");
        assertThat(run("policy", "trust")).isEqualTo(77);
        assertThat(warden.home().trustedFiles()).doesNotExist();
    }

    @Test
    void allowAsksForTheHostsOfOneSandbox() {
        warden.answer("POST /v1/sandboxes/work/allow", 200, VIEW);
        assertThat(run("allow", "work", "a.example", "b.example:8443")).isZero();
        assertThat(warden.asked().getLast()).contains("[\"a.example\",\"b.example:8443\"]");
        assertThat(shell.out()).isEqualTo("work may reach a.example, b.example:8443\n");
        assertThat(run("allow", "work")).isEqualTo(64);
        assertThat(run("allow", "work", "--tcp", "db.example:5432")).isZero();
        assertThat(warden.asked().getLast())
                .contains("\"hosts\":[]")
                .contains("\"tcp\":[\"db.example:5432\"]");
    }

    @Test
    void portsListsPublishesAndRemoves() throws IOException {
        assertThat(run("ports", "work")).isZero();
        assertThat(shell.out()).startsWith("No published ports");
        String view = VIEW.replace("\"published\":[]", "\"published\":[\"8080:3000\"]");
        warden.answer("POST /v1/sandboxes/work/ports", 200, view);
        assertThat(run("ports", "work", "8080:3000", "--remove", "3000")).isZero();
        assertThat(warden.asked().getLast())
                .contains("\"publish\":[\"8080:3000\"]")
                .contains("\"remove\":[\"3000\"]");
        assertThat(shell.out()).isEqualTo("127.0.0.1:8080, [::1]:8080 -> 3000\n");
        assertThat(shell.err()).isEmpty();
        assertThat(run("ports", "work", "0.0.0.0:8080:3000", "--json")).isZero();
        assertThat(json().path("published").get(0).asText()).isEqualTo("8080:3000");
        assertThat(shell.err()).contains("not limited to this machine");
    }
}
