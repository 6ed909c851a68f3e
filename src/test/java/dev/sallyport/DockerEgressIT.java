package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.PrivateDocker;
import dev.sallyport.fixture.Registry;
import dev.sallyport.fixture.WebServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Hosts besides git from an unmodified image: what `PackagesIT` and `EgressAttackIT` hold in
/// bubblewrap, as far as names and trust differ in a container. The image has apt and openssl, and
/// no curl.
class DockerEgressIT {
    private static final String REGISTRY = "deb.registry.example";
    private static final String OTHER = "other.registry.example";

    private static Path root;
    private static PrivateDocker docker;
    private static WebServer web;
    private static Installation sallyport;

    @BeforeAll
    static void startEverything() throws Exception {
        root = Files.createTempDirectory("sp-docker-egress");
        docker = PrivateDocker.start();
        web = WebServer.start(root.resolve("web"), REGISTRY, OTHER);
        new Registry(web.files(REGISTRY), "https://" + REGISTRY)
                .deb("tiny-left", root.resolve("made"));
        sallyport = Installation.bare(root.resolve("i"), Map.of("DOCKER_HOST", docker.host()));
        Files.copy(web.caFile(), sallyport.home().resolve("web-ca.pem"));
        sallyport.policy(
                """
                egress:
                  - host: %s
                    methods: [GET, HEAD]
                    dial: "%s"
                    ca-file: web-ca.pem
                """
                        .formatted(REGISTRY, web.dial()));
    }

    @AfterAll
    static void stopEverything() {
        sallyport.close();
        web.close();
        docker.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private static Command.Result inContainer(String script) {
        return sallyport
                .sallyport("run", "--runtime", "docker", "--no-repo", "--", "bash", "-uc", script)
                .run();
    }

    @Test
    void theImagesPackageManagerTrustsTheGatewayAndFetchesAPackage() {
        Command.Result result =
                inContainer(
                        """
                        mkdir -p ~/a/lists/partial ~/a/cache/archives/partial ~/a/state && cd ~/a
                        touch status && echo 'deb [trusted=yes] https://deb.registry.example/debian stable main' > sources.list
                        opts="-o Dir::Etc::sourcelist=$PWD/sources.list -o Dir::Etc::sourceparts=- -o Dir::State=$PWD/state \\
                            -o Dir::State::status=$PWD/status -o Dir::State::lists=$PWD/lists -o Dir::Cache=$PWD/cache -o APT::Sandbox::User=root"
                        apt-get $opts update >/dev/null && apt-get $opts download tiny-left >/dev/null && ls *.deb
                        """);
        assertThat(result.ok()).isEqualTo("tiny-left_1.0_all.deb");
    }

    /// E3, E5, E10: no other name resolves or may be said, and what the rule does not allow does
    /// not arrive.
    @Test
    void E3_E5_E10_nothingElseIsReached() {
        int before = web.requests().size();
        Command.Result result =
                inContainer(
                        """
                        say() { printf '%s /hello.txt HTTP/1.1\\r\\nHost: %s\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n' "$1" "$2" |
                            timeout 20 openssl s_client -quiet -verify_return_error -connect deb.registry.example:443 -servername "$3" 2>/dev/null | tr -d '\\r'; }
                        say GET deb.registry.example deb.registry.example
                        echo --
                        say PUT deb.registry.example deb.registry.example
                        say GET other.registry.example deb.registry.example
                        say GET other.registry.example other.registry.example
                        for name in other.registry.example host.docker.internal gateway.docker.internal metadata.google.internal; do
                            getent hosts $name && echo RESOLVED $name
                        done
                        timeout 5 bash -c 'exec 3<>/dev/tcp/192.0.2.1/443' && echo CONNECTED
                        """);
        String[] parts = result.out().split("--\n", -1);
        assertThat(parts).as(result.all()).hasSize(2);
        assertThat(parts[0]).contains("hello from " + REGISTRY);
        assertThat(parts[1])
                .contains("method-not-allowed")
                .contains("names-disagree")
                .doesNotContain("hello from")
                .doesNotContain("RESOLVED")
                .doesNotContain("CONNECTED");
        List<String> arrived = web.requests().subList(before, web.requests().size());
        assertThat(arrived).hasSize(1).allMatch(line -> line.contains("GET /hello.txt"));
    }
}
