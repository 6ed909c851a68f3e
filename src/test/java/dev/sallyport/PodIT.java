package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.FakeCluster;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.Machine;
import dev.sallyport.fixture.PodRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// A pod as far as its network and accounts go: the sidecar and the agent in one network namespace,
/// as two users. The cluster's API is a fake; what a pod's firewall does is tested with podman.
class PodIT {
    private static final String REPO = GitServer.HOST + "/acme/app";
    private static final String URL = "https://" + REPO;
    private static final ObjectMapper JSON = new ObjectMapper();

    private static Path root;
    private static Machine gateways;
    private static Machine node;
    private static GitServer server;
    private static Path app;
    private static Process cluster;
    private static Installation there;

    @BeforeAll
    static void startEverything() throws IOException {
        root = Files.createTempDirectory("sp-pod");
        Command.of("chmod", "755", root.toString()).run().ok();
        List<Machine> both = Machine.pair();
        gateways = both.getFirst();
        node = both.getLast();
        node.run("sysctl", "-qw", "net.ipv4.ip_unprivileged_port_start=0");
        server = GitServer.start(Files.createDirectory(root.resolve("server")), gateways);
        app = server.repository("acme", "app");
        there = Installation.bare(root.resolve("g")).on(gateways).knowing(server);
        cluster =
                gateways.command(
                                System.getProperty("java.home") + "/bin/java",
                                "-cp",
                                System.getProperty("java.class.path"),
                                FakeCluster.class.getName(),
                                there.home().toString())
                        .start();
        Path entry = there.home().resolve("cluster.yaml");
        Await.until("the API of the cluster", () -> Files.exists(entry));
        Path policy = there.home().resolve("policy.yaml");
        there.policy(Files.readString(policy) + Files.readString(entry));
        there.sallyport("down").run();
        there.sallyport("gateway", "--listen", gateways.address() + ":8443").run().ok();
    }

    @AfterAll
    static void stopEverything() {
        there.close();
        cluster.destroyForcibly().onExit().join();
        server.close();
        node.close();
        gateways.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private static PodRig pod(String name, FakeCluster.Claims claims) throws IOException {
        String authority = there.sallyport("gateway", "authority").run().ok();
        return new PodRig(Files.createDirectory(root.resolve(name)), node, claims, authority, REPO);
    }

    private static FakeCluster.Claims claims(String pod) {
        return FakeCluster.Claims.of("agents/agent", pod, pod + "-0a8d3f6e-1111");
    }

    private static List<JsonNode> recorded(String kind) throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : there.sallyport("audit", "show", "--json").run().ok().lines().toList()) {
            JsonNode one = JSON.readTree(line);
            if (one.path("kind").asText().startsWith(kind)) {
                lines.add(one);
            }
        }
        return lines;
    }

    private static List<String> sessions(String pod) throws IOException {
        List<String> found = new ArrayList<>();
        JsonNode all = JSON.readTree(there.sallyport("list", "--json").run().ok());
        for (JsonNode one : all.path("sandboxes")) {
            if (one.path("name").asText().startsWith("pod-" + pod + "-")) {
                found.add(one.path("session").asText() + " " + one.path("name").asText());
            }
        }
        return found;
    }

    @Test
    void worksAsASandboxAndEndsWithItsPod() throws Exception {
        try (PodRig pod = pod("work", claims("work"))) {
            node.cut();
            pod.start();
            Await.until("it says that nobody answers", () -> pod.log().contains("does not answer"));
            assertThat(pod.isReady()).isFalse();
            node.join();
            pod.awaitReady();
            requireConfined(pod.pid());
            List<String> session = sessions("work");
            assertThat(session).hasSize(1);

            requireGitWorks(pod, "one");
            JsonNode enrolled = recorded("fleet.enrolled").getLast();
            assertThat(enrolled.path("detail").path("pod").asText()).isEqualTo("work");
            assertThat(enrolled.path("detail").path("namespace").asText()).isEqualTo("agents");

            pod.kill();
            pod.start();
            pod.awaitReady();
            assertThat(sessions("work")).as("the same session").isEqualTo(session);
            requireGitWorks(pod, "two");

            assertThat(pod.terminate()).isEqualTo(128 + 15);
            assertThat(pod.isReady()).isFalse();
            assertThat(sessions("work")).isEmpty();
            assertThat(there.sallyport("gateway").run().ok()).doesNotContain("pod-work-");

            pod.start();
            assertThat(pod.awaitEnd()).isEqualTo(1);
            assertThat(pod.log()).contains("session of this pod has ended");
            assertThat(pod.isReady()).isFalse();
            assertThat(sessions("work")).isEmpty();
        }
    }

    private static void requireConfined(long pid) throws IOException {
        assertThat(Files.readString(Path.of("/proc/" + pid + "/status")))
                .contains("Seccomp:\t2", "NoNewPrivs:\t1", "CapEff:\t0000000000000000");
    }

    private static void requireGitWorks(PodRig pod, String branch) throws IOException {
        String main = GitServer.git(app, "rev-parse", "main");
        String script =
                "cd $(mktemp -d) && git clone -q "
                        + URL
                        + " . && git -c user.name=A -c user.email=a@test.example commit -q"
                        + " --allow-empty -m x && git push -q origin HEAD:refs/heads/agent/"
                        + branch
                        + " && git rev-parse HEAD; git push origin HEAD:main; id -u >&2";

        Command.Result result = pod.agent(script).run();

        assertThat(result.err()).as(pod.log()).contains("[remote rejected]", "agent/**", "1000");
        assertThat(result.out().strip())
                .isEqualTo(GitServer.git(app, "rev-parse", "agent/" + branch));
        assertThat(GitServer.git(app, "rev-parse", "main")).isEqualTo(main);
    }

    @Test
    void I1_whomTheClusterDoesNotVouchForGetsNothing() throws Exception {
        FakeCluster.Claims good = claims("other");
        List<FakeCluster.Claims> bad =
                List.of(
                        FakeCluster.Claims.of("agents/builder", "other", "other-0a8d3f6e-1111"),
                        good.forAudience("elsewhere"));
        List<String> reasons = List.of("other-account", "bad-token");
        for (int i = 0; i < bad.size(); i++) {
            try (PodRig pod = pod("bad" + i, bad.get(i))) {
                pod.start();
                assertThat(pod.awaitEnd()).as(pod.log()).isEqualTo(1);
                assertThat(pod.isReady()).isFalse();
                assertThat(pod.log()).contains("The gateway says: refused");
            }
            assertThat(recorded("fleet.refused").getLast().path("detail").path("reason").asText())
                    .isEqualTo(reasons.get(i));
        }
        assertThat(sessions("other")).isEmpty();
        assertThat(recorded("session.create").toString()).doesNotContain("pod-other-");
    }

    @Test
    void I3_whatIsDestroyedOnTheGatewayEndsInThePodAndDoesNotComeBack() throws Exception {
        try (PodRig pod = pod("ended", claims("ended"))) {
            pod.start();
            pod.awaitReady();
            pod.agent("git ls-remote -q " + URL + " main").run().ok();
            String name = sessions("ended").getFirst().split(" ", 2)[1];

            there.sallyport("destroy", name).run().ok();

            assertThat(pod.awaitEnd()).isEqualTo(1);
            assertThat(pod.isReady()).isFalse();
            assertThat(sessions("ended")).isEmpty();
            pod.start();
            assertThat(pod.awaitEnd()).isEqualTo(1);
            assertThat(sessions("ended")).isEmpty();
        }
    }
}
