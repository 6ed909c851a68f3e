package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What `run NAME` asks the warden for when the name is an agent's, and what is said when something
/// is missing.
class AgentCommandsTest {
    @TempDir Path directory;
    private FakeWarden warden;
    private Path work;
    private Shell shell;

    @BeforeEach
    void startWarden() throws IOException {
        warden = FakeWarden.start(directory);
        work = Files.createDirectory(directory.toRealPath().resolve("w"));
        shell = new Shell(warden.home(), work);
        answerAll(warden);
        secrets("anthropic");
    }

    /// What a run asks for besides its login.
    static void answerAll(FakeWarden warden) {
        warden.answer("POST /v1/sandboxes", 200, CommandsTest.VIEW)
                .answer("DELETE /v1/sandboxes/work", 200, "{}")
                .answer(
                        "GET /v1/status",
                        200,
                        "{\"version\":\"1\",\"home\":\"h\",\"wardenPid\":1,\"gatewayPid\":2,\"gatewayRestarts\":0,\"sandboxes\":0,\"runtimes\":{\"docker\":\"ready\",\"bubblewrap\":\"ready\"},\"notices\":[],\"troubles\":[]}")
                .answer(
                        "POST /v1/sandboxes/work/exec",
                        200,
                        "{\"argv\":[\"/bin/true\"],\"environment\":{},\"enters\":true,\"notices\":[]}");
    }

    @AfterEach
    void stopWarden() throws IOException {
        warden.close();
    }

    private void secrets(String... names) {
        StringBuilder list = new StringBuilder();
        for (String name : names) {
            list.append(list.isEmpty() ? "" : ",")
                    .append(
                            "{\"name\":\"%s\",\"host\":\"api.anthropic.com\",\"user\":null,\"updated\":\"-\",\"kind\":\"token\",\"rotated\":null,\"sandboxes\":[],\"login\":null}"
                                    .formatted(name));
        }
        warden.answer("GET /v1/secrets", 200, "{\"secrets\":[" + list + "]}");
    }

    /// As the vendor's installer leaves it in the person's home.
    private Path install() throws IOException {
        return install("claude");
    }

    private Path install(String program) throws IOException {
        return install(directory.toRealPath(), program);
    }

    static Path install(Path home, String program) throws IOException {
        Path file = home.resolve(".local/bin").resolve(program);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "\177ELF");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file;
    }

    private JsonNode asked(String question) throws IOException {
        return asked(warden, question);
    }

    /// The body of the first such request.
    static JsonNode asked(FakeWarden warden, String question) throws IOException {
        String body =
                warden.asked().stream()
                        .filter(line -> line.startsWith(question + " "))
                        .findFirst()
                        .orElseThrow()
                        .substring(question.length());
        return new ObjectMapper().readTree(body);
    }

    @Test
    void everythingIsAskedForWithoutAnOption() throws IOException {
        Path program = install();
        Files.createFile(work.resolve("package-lock.json"));
        Path project = Files.createDirectory(directory.toRealPath().resolve("p"));
        Files.createFile(project.resolve("pom.xml"));
        assertThat(
                        shell.run(
                                "",
                                "run",
                                "--workspace",
                                project.toString(),
                                "claude",
                                "-p",
                                "--json"))
                .as(shell.err())
                .isZero();

        JsonNode request = asked("POST /v1/sandboxes");
        assertThat(request.at("/runtime").asText()).isEqualTo("bubblewrap");
        assertThat(request.at("/reach/implied").toString()).isEqualTo("[\"anthropic\",\"maven\"]");
        assertThat(request.at("/mounts/extra/0/path").asText()).isEqualTo(program.toString());
        assertThat(request.at("/mounts/extra/0/writable").asBoolean()).isFalse();
        assertThat(request.at("/mounts/extra/0/unsafe").asBoolean()).isFalse();
        JsonNode settings =
                new ObjectMapper().readTree(request.at("/home/seeds/0/content").asText());
        assertThat(settings.at("/projects").has(project.toString())).isTrue();

        JsonNode exec = asked("POST /v1/sandboxes/work/exec");
        assertThat(exec.at("/command").toString())
                .isEqualTo("[\"" + program + "\",\"-p\",\"--json\"]");
        assertThat(exec.at("/environment/ANTHROPIC_API_KEY").asText())
                .isEqualTo("sk-ant-api03-the-gateway-of-sallyport-has-the-key");
        assertThat(exec.at("/environment").has("CLAUDE_CODE_OAUTH_TOKEN")).isFalse();
    }

    @Test
    void theStoredSecretChoosesTheLogin() throws IOException {
        install();
        secrets("anthropic-token");
        assertThat(shell.run("", "run", "--no-egress", "--", "claude")).as(shell.err()).isZero();
        assertThat(asked("POST /v1/sandboxes").at("/reach/implied").toString())
                .isEqualTo("[\"anthropic-token\"]");
        assertThat(asked("POST /v1/sandboxes/work/exec").at("/environment").toString())
                .contains("CLAUDE_CODE_OAUTH_TOKEN")
                .doesNotContain("ANTHROPIC_API_KEY");
    }

    /// What stands in the file is not secret: an agent has to know for which account it works.
    @Test
    void aLoginThatIsRenewedPutsAFileForItsAccountIntoTheHome() throws IOException {
        install("codex");
        warden.answer(
                "GET /v1/secrets",
                200,
                """
                {"secrets":[{"name":"chatgpt","host":"chatgpt.com","user":null,"updated":"-","kind":"oauth","rotated":null,"sandboxes":[],
                "login":{"endpoint":"https://auth.openai.com/oauth/token","renewed":"-","expires":null,"account":"acc-1"}}]}
                """);
        assertThat(shell.run("", "run", "--no-egress", "--", "codex")).as(shell.err()).isZero();
        JsonNode request = asked("POST /v1/sandboxes");
        assertThat(request.at("/reach/implied").toString()).isEqualTo("[\"chatgpt\"]");
        JsonNode seed = request.at("/home/seeds/1");
        assertThat(seed.at("/path").asText()).isEqualTo(".codex/auth.json");
        assertThat(seed.at("/replaces").asBoolean()).isTrue();
        JsonNode file = new ObjectMapper().readTree(seed.at("/content").asText());
        assertThat(file.at("/tokens/account_id").asText()).isEqualTo("acc-1");
        assertThat(asked("POST /v1/sandboxes/work/exec").at("/environment").has("OPENAI_API_KEY"))
                .isFalse();
    }

    @Test
    void aMissingLoginIsNamedWithTheCommandForItsFile() throws IOException {
        install("codex");
        assertThat(shell.run("", "run", "codex")).isNotZero();
        assertThat(shell.err())
                .contains("secret set openai --host api.openai.com\n")
                .contains(
                        "secret set chatgpt --host chatgpt.com --kind oauth --file ~/.codex/auth.json\n");
    }

    @Test
    void aMissingSecretIsNamedWithTheCommandBeforeThereIsASandbox() throws IOException {
        install();
        secrets("github");
        assertThat(shell.run("", "run", "claude")).isEqualTo(ExitCode.RUN_FAILED.status());
        assertThat(shell.err())
                .contains("claude needs an Anthropic API key, and none is stored.")
                .contains("sallyport secret set anthropic --host api.anthropic.com\n")
                .contains("sallyport secret set anthropic-token --host api.anthropic.com\n");
        assertThat(warden.asked()).noneMatch(line -> line.startsWith("POST /v1/sandboxes"));
    }

    private void secret(String name, String host, String kind) {
        warden.answer(
                "GET /v1/secrets",
                200,
                """
                {"secrets":[{"name":"%s","host":"%s","user":null,"updated":"-","kind":"%s","rotated":null,"sandboxes":[],"login":null}]}
                """
                        .formatted(name, host, kind));
    }

    /// What the person would type next would replace it.
    @Test
    void aSecretOfAnotherHostIsNamedAndNotReplaced() throws IOException {
        install();
        secret("anthropic", "api.other.example", "token");
        assertThat(shell.run("", "run", "claude")).isEqualTo(ExitCode.RUN_FAILED.status());
        assertThat(shell.err())
                .contains(
                        "The secret anthropic is stored for api.other.example, but claude needs it for api.anthropic.com.")
                .contains("sallyport secret set anthropic --host api.anthropic.com\n");
        assertThat(warden.asked()).allMatch(line -> line.startsWith("GET "));
    }

    @Test
    void theRegionOfALoginIsThatOfItsHost() throws IOException {
        install();
        secret("bedrock", "bedrock-runtime.ap-southeast-2.amazonaws.com", "aws");
        assertThat(shell.run("", "run", "--no-egress", "--", "claude")).as(shell.err()).isZero();
        assertThat(asked("POST /v1/sandboxes").at("/reach/implied").toString())
                .isEqualTo("[\"bedrock+ap-southeast-2\"]");
        assertThat(asked("POST /v1/sandboxes/work/exec").at("/environment/AWS_REGION").asText())
                .isEqualTo("ap-southeast-2");
    }

    @Test
    void aHostThatOnlyLooksLikeARegionsIsNoLogin() throws IOException {
        install();
        for (String host :
                List.of(
                        "bedrock-runtime.evil.example.amazonaws.com",
                        "bedrock-runtime.us-east-1.amazonaws.com.evil.example",
                        "bedrock-runtime.amazonaws.com")) {
            secret("bedrock", host, "aws");
            assertThat(shell.run("", "run", "claude")).isNotZero();
            assertThat(shell.err()).contains("needs it for bedrock-runtime.REGION.amazonaws.com.");
        }
        assertThat(warden.asked()).allMatch(line -> line.startsWith("GET "));
    }

    @Test
    void aMissingProgramIsSaidWithHowToInstallIt() throws IOException {
        assertThat(shell.run("", "run", "codex")).isNotZero();
        assertThat(shell.err())
                .contains("codex is not installed here: it is not in your PATH")
                .contains("npm install -g @openai/codex");
        assertThat(warden.asked()).isEmpty();
    }

    @Test
    void anImageMayHaveTheProgram() throws IOException {
        assertThat(shell.run("", "run", "--image", "mine", "claude", "-c"))
                .as(shell.err())
                .isZero();
        assertThat(asked("POST /v1/sandboxes").at("/runtime").isNull()).isTrue();
        assertThat(asked("POST /v1/sandboxes/work/exec").at("/command").toString())
                .isEqualTo("[\"claude\",\"-c\"]");
    }

    /// I15: one project's sandbox does not choose what runs in another's.
    @Test
    void i15AProgramThatASandboxCouldHaveWrittenIsPassedOver() throws IOException {
        String mount = install().getParent() + ":rw";
        assertThat(shell.run("", "run", "--mount", mount, "claude")).as(shell.err()).isZero();
        Path other = Files.createDirectory(directory.toRealPath().resolve("p"));
        assertThat(shell.run("", "run", "--workspace", other.toString(), "claude")).isNotZero();
        assertThat(shell.err()).contains("that a sandbox can write to");
    }

    @Test
    void withoutItsProfileItIsACommandLikeAnother() throws IOException {
        assertThat(shell.run("", "run", "--no-profile", "claude")).as(shell.err()).isZero();
        assertThat(asked("POST /v1/sandboxes").at("/reach/implied").toString()).isEqualTo("[]");
        assertThat(asked("POST /v1/sandboxes/work/exec").at("/command").toString())
                .isEqualTo("[\"claude\"]");
    }

    @Test
    void whatThePersonSetsReplacesWhatTheProfileSets() throws IOException {
        install();
        assertThat(shell.run("", "run", "--env", "IS_SANDBOX=no", "claude"))
                .as(shell.err())
                .isZero();
        assertThat(asked("POST /v1/sandboxes/work/exec").at("/environment/IS_SANDBOX").asText())
                .isEqualTo("no");
    }

    @Test
    void agentsSaysHowToInstallOneWhenThereIsNone() throws IOException {
        assertThat(shell.run("", "agents")).as(shell.err()).isZero();
        assertThat(shell.out()).contains("claude is not installed.\n  Install it: npm install -g ");
        install();
        assertThat(shell.run("", "agents")).as(shell.err()).isZero();
        assertThat(shell.out()).doesNotContain("Install it");
    }

    @Test
    void agentsListsWhatIsHereAndWhatIsMissing() throws IOException {
        Path program = install();
        secrets();
        assertThat(shell.run("", "agents")).as(shell.err()).isZero();
        assertThat(shell.out())
                .contains(program.toString())
                .contains("claude needs a secret.")
                .contains("sallyport secret set anthropic --host api.anthropic.com")
                .doesNotContain("codex needs");
    }

    @Test
    void aSandboxThatStaysCanBePreparedForAnAgent() throws IOException {
        install();
        assertThat(shell.run("", "new", "--agent", "claude")).as(shell.err()).isZero();
        assertThat(asked("POST /v1/sandboxes").at("/reach/implied").toString())
                .isEqualTo("[\"anthropic\"]");
        assertThat(shell.run("", "new", "--agent", "nobody")).isEqualTo(ExitCode.USAGE.status());
        assertThat(shell.err()).contains("sallyport agents");
    }

    /// The view's workspace is another one, and nothing is mounted.
    @Test
    void inASandboxWithoutItsProgramAnAgentIsACommandLikeAnother() throws IOException {
        install();
        warden.answer("GET /v1/sandboxes/work", 200, CommandsTest.VIEW);
        assertThat(shell.run("", "exec", "work", "--", "claude")).as(shell.err()).isZero();
        JsonNode exec = asked("POST /v1/sandboxes/work/exec");
        assertThat(exec.at("/command").toString()).isEqualTo("[\"claude\"]");
        assertThat(exec.at("/environment").has("ANTHROPIC_API_KEY")).isFalse();
    }

    @Test
    void inASandboxWithItsProgramAnAgentIsStarted() throws IOException {
        Path program = install();
        warden.answer(
                "GET /v1/sandboxes/work",
                200,
                CommandsTest.VIEW.replaceFirst(
                        "\"workspace\":\"[^\"]*\"",
                        "\"workspace\":\"" + directory.toRealPath() + "\""));
        assertThat(shell.run("", "exec", "work", "--", "claude", "-c")).as(shell.err()).isZero();
        JsonNode exec = asked("POST /v1/sandboxes/work/exec");
        assertThat(exec.at("/command").toString()).isEqualTo("[\"" + program + "\",\"-c\"]");
        assertThat(exec.at("/environment").has("ANTHROPIC_API_KEY")).isTrue();
    }

    /// Here another secret is stored, or a newer one; the gateway may be elsewhere.
    @Test
    void inASandboxAnAgentUsesTheLoginThatItsRulesInject() throws IOException {
        install();
        String rule =
                "{\"host\":\"api.anthropic.com\",\"ports\":[443],\"privateAddresses\":false,\"dial\":null,\"ca\":null,\"tcp\":false,\"ask\":false,\"origin\":\"agent\","
                        + "\"inspection\":{\"methods\":null,\"paths\":null,\"contentTypesDenied\":[],\"requestBytesMax\":null,\"jsonDenied\":[],\"jsonRemoved\":[],\"jsonIgnored\":[],\"websocket\":false,\"queryAllowed\":[],\"ask\":false,"
                        + "\"inject\":{\"secret\":\"anthropic-token\",\"place\":\"bearer\",\"placeholder\":null}}}";
        warden.answer(
                "GET /v1/sandboxes/work",
                200,
                CommandsTest.VIEW
                        .replaceFirst(
                                "\"workspace\":\"[^\"]*\"",
                                "\"workspace\":\"" + directory.toRealPath() + "\"")
                        .replace("\"egress\":[]", "\"egress\":[" + rule + "]"));
        assertThat(shell.run("", "exec", "work", "--", "claude")).as(shell.err()).isZero();
        assertThat(asked("POST /v1/sandboxes/work/exec").at("/environment").toString())
                .contains("CLAUDE_CODE_OAUTH_TOKEN")
                .doesNotContain("ANTHROPIC_API_KEY");
    }
}
