package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What happens to a command's sandbox and status when the warden fails while it runs.
class RunCommandTest {
    private static final String FAULT =
            "{\"code\":\"failed\",\"message\":\"It failed.\",\"remedy\":\"\"}";
    private static final String SANDBOX = "/v1/sandboxes/work";

    @TempDir Path directory;
    private FakeWarden warden;
    private Shell shell;

    @BeforeEach
    void startWarden() throws IOException {
        warden = FakeWarden.start(directory);
        shell = new Shell(warden.home(), Files.createDirectory(directory.resolve("w")));
        String made = CommandsTest.VIEW.replaceFirst("\"notices\":.*]", "\"notices\":[]");
        warden.answer("POST /v1/sandboxes", 200, made)
                .answer("GET " + SANDBOX, 200, CommandsTest.VIEW)
                .answer("POST " + SANDBOX + "/lease", 200, CommandsTest.VIEW)
                .answer("DELETE " + SANDBOX, 200, "{}");
        runs("exit 7");
    }

    @AfterEach
    void stopWarden() throws IOException {
        warden.close();
    }

    private void runs(String script) {
        warden.answer(
                "POST " + SANDBOX + "/exec",
                200,
                "{\"argv\":[\"/bin/sh\",\"-c\",\""
                        + script
                        + "\"],\"environment\":{\"PATH\":\"/usr/bin:/bin\"},\"enters\":true,\"notices\":[]}");
    }

    private int run() {
        return shell.run("", "run", "--no-repo", "--", "true");
    }

    private long asked(String question) {
        return Collections.frequency(warden.asked(), question);
    }

    @Test
    void theSandboxIsRemovedBeforeTheStatusIsPassedOn() {
        assertThat(run()).as(shell.err()).isEqualTo(7);
        assertThat(asked("DELETE " + SANDBOX)).isOne();
        assertThat(shell.err()).isEmpty();
    }

    @Test
    void aProgramThatIsNotThereMayBeAnAgentsNameMisspelled() {
        runs("exit 127");
        assertThat(shell.run("", "run", "--no-repo", "clause", "--help")).isEqualTo(127);
        assertThat(shell.err()).contains("no program clause").contains("Did you mean claude?");
        assertThat(shell.run("", "run", "--no-repo", "--", "no-such-thing")).isEqualTo(127);
        assertThat(shell.err()).isEmpty();
        runs("exit 1");
        assertThat(shell.run("", "run", "--no-repo", "clause")).isOne();
        assertThat(shell.err()).as("it was there").isEmpty();
    }

    @Test
    void theStatusSurvivesAWardenThatCannotRemoveTheSandbox() {
        warden.answer("DELETE " + SANDBOX, 500, FAULT);
        assertThat(run()).isEqualTo(7);
        assertThat(shell.err()).contains("may still exist").contains("It failed.");
    }

    @Test
    void theStatusSurvivesAWardenThatDiesAtTheEnd() {
        warden.hangUpOnceOn("DELETE " + SANDBOX);
        assertThat(run()).as(shell.err()).isEqualTo(7);
        assertThat(asked("DELETE " + SANDBOX)).isEqualTo(2);
        assertThat(warden.connections()).isEqualTo(2);
        assertThat(shell.err()).isEmpty();
    }

    /// To hang up is to end the sandbox, so it must not follow from a fault that passes.
    @Test
    void aWardenThatFailsIsNotTakenForADeadOne() {
        warden.answer("GET " + SANDBOX, 500, FAULT);
        runs("sleep 3; exit 7");
        assertThat(run()).as(shell.err()).isEqualTo(7);
        assertThat(asked("GET " + SANDBOX)).isPositive();
        assertThat(asked("POST " + SANDBOX + "/lease")).isZero();
        assertThat(warden.connections()).isOne();
    }

    @Test
    void theLeaseOfADeadWardenIsTakenAgain() {
        warden.hangUpOnceOn("GET " + SANDBOX);
        runs("sleep 3; exit 7");
        assertThat(run()).as(shell.err()).isEqualTo(7);
        assertThat(asked("POST " + SANDBOX + "/lease")).isOne();
        assertThat(warden.connections()).isEqualTo(2);
        assertThat(warden.asked()).noneMatch(question -> question.contains("/v1/status"));
    }
}
