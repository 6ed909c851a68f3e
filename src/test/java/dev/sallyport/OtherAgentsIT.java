package dev.sallyport;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Copilot;
import dev.sallyport.fixture.StockAgents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// As [AgentsIT].
class OtherAgentsIT {
    /// In place of aider, which is not published with npm: a Python program that talks to its model
    /// with the same variable.
    @SuppressWarnings("InlineFormatString") // As long as a file.
    private static final String AIDER =
            """
            #!%s
            import json, os, subprocess, sys, urllib.request
            assert os.environ["AIDER_ANALYTICS"] == os.environ["AIDER_CHECK_UPDATE"] == "false"
            said = [{"role": "user", "content": sys.argv[2]}]
            while True:
                body = {"model": "m", "max_tokens": 9, "stream": True, "tools": [{"name": "bash"}], "messages": said}
                request = urllib.request.Request("https://api.anthropic.com/v1/messages", json.dumps(body).encode(),
                    {"content-type": "application/json", "x-api-key": os.environ["ANTHROPIC_API_KEY"]})
                lines = urllib.request.urlopen(request).read().decode().splitlines()
                events = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
                deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
                if "text" in deltas[0]:
                    sys.exit(print(deltas[0]["text"]))
                call = json.loads(deltas[0]["partial_json"])
                result = subprocess.run(call["command"], shell=True, capture_output=True, text=True)
                said += [{"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "bash", "input": call}]},
                    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": result.stdout + result.stderr}]}]
            """;

    private static AgentRig rig;

    @BeforeAll
    static void start() throws IOException {
        rig = new AgentRig(Map.of(), StockAgents.GEMINI, StockAgents.OPENCODE, StockAgents.COPILOT);
    }

    @AfterAll
    static void stop() {
        rig.close();
    }

    @AfterEach
    void clear() {
        rig.clear();
    }

    @Test
    void geminiDoesATaskInPrintMode() throws IOException {
        rig.print("gemini", "--yolo", "-p", "mend it");
    }

    @Test
    void geminiAsksNothingInItsTerminalInterface() throws IOException {
        rig.converse("Type your message", "gemini", "--yolo");
    }

    @Test
    void opencodeDoesATaskInPrintMode() throws IOException {
        rig.print("opencode", "run", "mend it");
    }

    @Test
    void opencodeAsksNothingInItsTerminalInterface() throws IOException {
        rig.converse("Ask anything", "opencode");
    }

    @Test
    void copilotDoesATaskInPrintMode() throws IOException {
        rig.print("copilot", "--allow-all-tools", "-p", "mend it");
    }

    @Test
    void copilotAsksNothingInItsTerminalInterface() throws IOException {
        rig.converse("/ commands", "copilot", "--allow-all-tools");
    }

    /// With a GitHub account, which is used although there are keys of other models.
    @Test
    void copilotDoesATaskWithAnAccountInPrintMode() throws IOException {
        withAccount(() -> rig.print("copilot", "--allow-all-tools", "-p", "mend it"));
    }

    @Test
    void copilotAsksNothingWithAnAccountInItsTerminalInterface() throws IOException {
        withAccount(() -> rig.converse("/ commands", "copilot", "--allow-all-tools"));
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void withAccount(Task task) throws IOException {
        rig.store("copilot", Copilot.HOME, Copilot.TOKEN);
        try {
            task.run();
        } finally {
            rig.remove("copilot");
        }
    }

    /// Installed as pipx does it.
    @Test
    void aProgramInTheFormOfAiderDoesATask() throws IOException {
        Path environment = rig.person().resolve(".local/share/pipx/venvs/aider-chat");
        Command.of("/usr/bin/python3", "-m", "venv", "--without-pip", environment.toString())
                .run()
                .ok();
        Path program = environment.resolve("bin/aider");
        Files.writeString(program, AIDER.formatted(environment.resolve("bin/python")));
        program.toFile().setExecutable(true);
        Path shim = rig.person().resolve(".local/bin/aider");
        Files.createDirectories(shim.getParent());
        Files.createSymbolicLink(shim, program);
        rig.print("aider", "--message", "mend it");
    }
}
