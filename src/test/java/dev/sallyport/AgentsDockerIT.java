package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.ModelServer;
import dev.sallyport.fixture.PrivateDocker;
import dev.sallyport.fixture.StockAgents;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// An agent of the host in a container whose image does not have it.
class AgentsDockerIT {
    private static PrivateDocker docker;
    private static AgentRig rig;

    @BeforeAll
    static void start() throws IOException {
        docker = PrivateDocker.start();
        rig = new AgentRig(Map.of("DOCKER_HOST", docker.host()), StockAgents.CLAUDE);
    }

    @AfterAll
    static void stop() {
        rig.close();
        docker.close();
    }

    @AfterEach
    void clear() {
        rig.clear();
    }

    @Test
    void claudeDoesATaskInAContainer() throws IOException {
        Path project = rig.project("claude-docker");
        rig.atTerminal(
                project,
                "run",
                "--runtime",
                "docker",
                "claude",
                "--dangerously-skip-permissions",
                "-p",
                "mend it");
        assertThat(rig.await("status 0.")).contains(ModelServer.DONE);
        rig.assertTheTaskIsDone(project);
    }

    /// Where an engine answers, other commands run in containers.
    @Test
    void unlessAskedOtherwiseAnAgentHasThePersonsOwnTools() throws IOException {
        Path project = rig.project("claude-own");
        rig.atTerminal(project, "run", "claude", "--dangerously-skip-permissions", "-p", "mend it");
        rig.await("status 0.");
        rig.assertTheTaskIsDone(project);
        assertThat(rig.sallyport().sallyport("audit", "show").run().ok())
                .contains("runtime=bubblewrap");
    }
}
