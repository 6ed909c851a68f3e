package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What `run --gateway` does about an agent's login, which is stored on another machine.
class AgentElsewhereTest {
    @TempDir Path directory;
    private FakeWarden warden;
    private Path work;
    private Shell shell;

    @BeforeEach
    void startWarden() throws IOException {
        warden = FakeWarden.start(directory);
        work = Files.createDirectory(directory.toRealPath().resolve("w"));
        shell = new Shell(warden.home(), work);
        AgentCommandsTest.answerAll(warden);
    }

    @AfterEach
    void stopWarden() throws IOException {
        warden.close();
    }

    private JsonNode asked(String question) throws IOException {
        return AgentCommandsTest.asked(warden, question);
    }

    private void loginAt(String gateway, String login) {
        warden.answer("GET /v1/gateways/" + gateway + "/login", 200, "{\"login\":" + login + "}");
    }

    /// The secrets of this machine do not count.
    @Test
    void withAGatewayElsewhereTheSecretThatIsStoredThereChoosesTheLogin() throws IOException {
        AgentCommandsTest.install(directory.toRealPath(), "claude");
        loginAt(
                "office",
                "{\"secret\":\"anthropic-token\",\"host\":\"api.anthropic.com\",\"account\":null}");
        assertThat(shell.run("", "run", "--no-egress", "--gateway", "office", "claude"))
                .as(shell.err())
                .isZero();
        assertThat(asked("GET /v1/gateways/office/login").at("/logins").findValuesAsText("secret"))
                .containsExactly("anthropic", "anthropic-token", "vertex", "bedrock");
        JsonNode request = asked("POST /v1/sandboxes");
        assertThat(request.at("/gateway").asText()).isEqualTo("office");
        assertThat(request.at("/reach/implied").toString()).isEqualTo("[\"anthropic-token\"]");
        assertThat(asked("POST /v1/sandboxes/work/exec").at("/environment").toString())
                .contains("CLAUDE_CODE_OAUTH_TOKEN")
                .doesNotContain("ANTHROPIC_API_KEY");
        assertThat(warden.asked()).noneMatch(line -> line.startsWith("GET /v1/secrets"));
    }

    @Test
    void theRegionOfALoginElsewhereIsThatOfItsHost() throws IOException {
        AgentCommandsTest.install(directory.toRealPath(), "claude");
        loginAt(
                "one",
                "{\"secret\":\"bedrock\",\"host\":\"bedrock-runtime.eu-west-1.amazonaws.com\",\"account\":null}");
        assertThat(shell.run("", "run", "--no-egress", "--gateway", "one", "claude"))
                .as(shell.err())
                .isZero();
        assertThat(asked("POST /v1/sandboxes").at("/reach/implied").toString())
                .isEqualTo("[\"bedrock+eu-west-1\"]");
        assertThat(asked("POST /v1/sandboxes/work/exec").at("/environment/AWS_REGION").asText())
                .isEqualTo("eu-west-1");
    }

    @Test
    void theAccountOfALoginElsewhereStandsInItsFile() throws IOException {
        AgentCommandsTest.install(directory.toRealPath(), "codex");
        loginAt("two", "{\"secret\":\"chatgpt\",\"host\":\"chatgpt.com\",\"account\":\"acc-1\"}");
        assertThat(shell.run("", "new", "--no-egress", "--gateway", "two", "--agent", "codex"))
                .as(shell.err())
                .isZero();
        JsonNode request = asked("POST /v1/sandboxes");
        assertThat(request.at("/reach/implied").toString()).isEqualTo("[\"chatgpt\"]");
        JsonNode file = new ObjectMapper().readTree(request.at("/home/seeds/1/content").asText());
        assertThat(file.at("/tokens/account_id").asText()).isEqualTo("acc-1");
    }

    @Test
    void aSecretThatIsMissingElsewhereIsNamedWithTheCommandBeforeThereIsASandbox()
            throws IOException {
        AgentCommandsTest.install(directory.toRealPath(), "claude");
        loginAt("office", "null");
        assertThat(shell.run("", "run", "--gateway", "office", "claude"))
                .isEqualTo(ExitCode.RUN_FAILED.status());
        assertThat(shell.err())
                .contains(
                        "claude needs an Anthropic API key, and none is stored on the machine of the gateway office.")
                .contains("Run one of these on that machine.")
                .contains("sallyport secret set anthropic --host api.anthropic.com\n")
                .contains("sallyport secret set anthropic-token --host api.anthropic.com\n");
        assertThat(warden.asked()).noneMatch(line -> line.startsWith("POST /v1/sandboxes"));
    }

    /// A gateway that was taken over answers as it likes.
    @Test
    void aLoginThatTheAgentDoesNotHaveIsNotTakenFromAGateway() throws IOException {
        AgentCommandsTest.install(directory.toRealPath(), "claude");
        for (String login :
                List.of(
                        "{\"secret\":\"openai\",\"host\":\"api.openai.com\",\"account\":null}",
                        "{\"secret\":\"anthropic\",\"host\":\"evil.example\",\"account\":null}",
                        "{\"secret\":\"bedrock\",\"host\":\"bedrock-runtime.x+y.amazonaws.com\",\"account\":null}")) {
            loginAt("office", login);
            assertThat(shell.run("", "run", "--gateway", "office", "claude")).isNotZero();
            assertThat(shell.err()).contains("names a login that claude does not have");
        }
        assertThat(warden.asked()).noneMatch(line -> line.startsWith("POST /v1/sandboxes"));
    }
}
