package dev.sallyport.sandbox.docker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.Person;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class DockerObstacleTest {
    private static final URI SOCKET = URI.create("unix:///run/docker.sock");
    private static final Person SOMEBODY = new Person(1000, 1000, "me", Path.of("/home/me"));
    private static final Person ROOT = new Person(0, 0, "root", Path.of("/root"));

    @Test
    void anEngineElsewhereIsRefusedWithoutAskingIt() {
        assertThat(new DockerObstacle(URI.create("tcp://127.0.0.1:1"), ROOT).find())
                .hasValueSatisfying(text -> assertThat(text).contains("not on this machine"));
    }

    @Test
    void anOrdinaryUserNeedsARootlessEngine() {
        var options = List.of("name=seccomp,profile=default");
        var rootless = List.of("name=seccomp,profile=default", "name=rootless");
        assertThat(new DockerObstacle(SOCKET, SOMEBODY).judge(options)).isPresent();
        assertThat(new DockerObstacle(SOCKET, SOMEBODY).judge(rootless)).isEmpty();
        assertThat(new DockerObstacle(SOCKET, ROOT).judge(options)).isEmpty();
    }

    @Test
    void anEngineWithoutSeccompIsRefused() {
        assertThat(new DockerObstacle(SOCKET, ROOT).judge(List.of("name=apparmor")))
                .hasValueSatisfying(text -> assertThat(text).contains("no seccomp", "bubblewrap"));
    }
}
