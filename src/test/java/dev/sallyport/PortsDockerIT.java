package dev.sallyport;

import static dev.sallyport.PortsRig.FOUR;
import static dev.sallyport.PortsRig.SIX;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.DevServer;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.PrivateDocker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What `PortsIT` holds in bubblewrap, as far as it differs in a container.
class PortsDockerIT {
    private static Path root;
    private static PrivateDocker docker;
    private static PortsRig rig;

    @BeforeAll
    static void startEverything() throws Exception {
        root = Files.createTempDirectory("sp-docker-ports");
        docker = PrivateDocker.start();
        rig =
                new PortsRig(
                        Installation.bare(root.resolve("i"), Map.of("DOCKER_HOST", docker.host())),
                        "docker");
    }

    @AfterAll
    static void stopEverything() {
        rig.sallyport().close();
        docker.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    @Test
    void aDevelopmentServerInAContainerReloadsThePageOnBothLoopbackAddresses() throws Exception {
        int port = DevServer.freePort();
        Path workspace = rig.sallyport().workspace();
        rig.create("dev", "--publish", port + ":3000");
        rig.exec("dev", DevServer.perl(workspace, 3000, "127.0.0.1")).ok();
        DevServer.awaitListening(workspace, 3000);
        assertThat(rig.reloaded(FOUR, port, "two")).contains("version two");
        assertThat(rig.reloaded(SIX, port, "three")).contains("version three");

        rig.create("other");
        String probe =
                "timeout 60 bash -c 'exec 3<>/dev/tcp/127.0.0.1/%d' && echo REACHED; exec 3<>/dev/tcp/127.0.0.1/80 && echo control";
        assertThat(rig.sh("other", probe.formatted(port)).out()).isEqualTo("control\n");
        assertThat(rig.sh("dev", probe.formatted(port)).out()).isEqualTo("control\n");

        rig.sallyport().sallyport("destroy", "dev").run().ok();
        Await.until("nobody listens for a destroyed one", () -> !PortsRig.listens(FOUR, port));
    }
}
