package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
        warden.answer("POST /v1/sandboxes", 200, CommandsTest.VIEW)
                .answer("DELETE /v1/sandboxes/work", 200, "{}")
                .answer(
                        "GET /v1/status",
                        200,
                        "{\"version\":\"1\",\"home\":\"h\",\"wardenPid\":1,\"gatewayPid\":2,\"gatewayRestarts\":0,\"sandboxes\":0,\"runtimes\":{\"docker\":\"ready\",\"bubblewrap\":\"ready\"},\"notices\":[]}")
                .answer(
                        "POST /v1/sandboxes/work/exec",
                        200,
                        "{\"argv\":[\"/bin/true\"],\"environment\":{},\"enters\":true,\"notices\":[]}");
        secrets("anthropic");
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

    /// As the vendor's installer leaves it; the shell's directory is also the person's home.
    private Path install() throws IOException {
        Path file = work.resolve(".local/bin/claude");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "\177ELF");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file;
    }

    private JsonNode asked(String question) throws IOException {
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

    @Test
    void aMissingProgramIsSaidWithHowToInstallIt() throws IOException {
        assertThat(shell.run("", "run", "codex")).isNotZero();
        assertThat(shell.err())
                .contains("is not in your PATH")
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
        install();
        assertThat(shell.run("", "run", "claude")).as(shell.err()).isZero();
        Path other = Files.createDirectory(directory.toRealPath().resolve("p"));
        assertThat(shell.run("", "run", "--workspace", other.toString(), "claude")).isNotZero();
        assertThat(shell.err()).contains("where a sandbox could write");
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
                        "\"workspace\":\"[^\"]*\"", "\"workspace\":\"" + work + "\""));
        assertThat(shell.run("", "exec", "work", "--", "claude", "-c")).as(shell.err()).isZero();
        JsonNode exec = asked("POST /v1/sandboxes/work/exec");
        assertThat(exec.at("/command").toString()).isEqualTo("[\"" + program + "\",\"-c\"]");
        assertThat(exec.at("/environment").has("ANTHROPIC_API_KEY")).isTrue();
    }
}
