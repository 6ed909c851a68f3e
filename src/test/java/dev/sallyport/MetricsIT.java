package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// A real Prometheus fetches the figures of a real daemon, and answers every question of the
/// dashboard.
class MetricsIT {
    private static final Pattern SERIES = Pattern.compile("\\b((?:sallyport|jvm)_[a-z_]+)");
    private static final ObjectMapper JSON = new ObjectMapper();

    private static Path root;
    private static GitServer git;
    private static Installation sallyport;
    private static int port;

    @BeforeAll
    static void startEverything() throws IOException {
        root = Files.createTempDirectory("sp-metrics");
        git = GitServer.start(Files.createDirectory(root.resolve("git")));
        git.repository("acme", "app");
        sallyport = Installation.with(root.resolve("i"), git);
        port = freePort();
        Path policy = sallyport.home().resolve("policy.yaml");
        sallyport.policy(Files.readString(policy) + "metrics: {port: " + port + "}\n");
        sallyport.sallyport("down").run().ok();
        sallyport.sallyport("up").run().ok();
        sallyport.sallyport("metrics").run().ok();
        sallyport
                .sallyport("new", "--name", "watched", "--repo", GitServer.HOST + "/acme/app")
                .run()
                .ok();
        sallyport
                .sallyport(
                        "exec",
                        "watched",
                        "--",
                        "bash",
                        "-c",
                        "cd $(mktemp -d) && git clone -q https://%1$s/acme/app . && git -c user.name=A -c user.email=a@test.example commit -q --allow-empty -m x && git push -q origin HEAD:agent/x; git push -q origin HEAD:main; curl -s https://unknown.example/; true"
                                .formatted(GitServer.HOST))
                .run()
                .ok();
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }

    @AfterAll
    static void stopEverything() {
        sallyport.close();
        git.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private static String curl(String... arguments) {
        List<String> argv = new ArrayList<>(List.of("curl", "-sS", "--noproxy", "*"));
        argv.addAll(List.of(arguments));
        return Command.of(argv).run().all();
    }

    private static String own(String path) {
        return "http://127.0.0.1:" + port + path;
    }

    @Test
    void promtoolAcceptsWhatIsPrintedOnEachWay() {
        String printed = sallyport.sallyport("metrics").run().ok();
        String socket = sallyport.home().resolve("run/control.sock").toString();
        for (String text :
                List.of(
                        printed,
                        curl("--unix-socket", socket, "http://localhost/metrics"),
                        curl(own("/metrics")))) {
            assertThat(text)
                    .contains("sallyport_decisions_total{decision=\"deny\",door=\"git\"")
                    .doesNotContain(GitServer.HOST, "acme", "watched", "unknown.example");
            Command.of("promtool", "check", "metrics").input(text + "\n").run().ok();
        }
    }

    /// What a page in a browser could make it ask: the name is that page's.
    @Test
    void anotherNamePathOrMethodGetsNoFigures() {
        for (String[] asked :
                List.of(
                        new String[] {"-H", "Host: rebound.example", own("/metrics")},
                        new String[] {"-X", "POST", own("/metrics")},
                        new String[] {own("/")},
                        new String[] {own("/v1/status")})) {
            assertThat(curl(asked)).doesNotContain("sallyport_", "running");
        }
    }

    @Test
    void aRealPrometheusAnswersEveryQuestionOfTheDashboard() throws IOException {
        int server = freePort();
        Path configuration = root.resolve("prometheus.yml");
        Files.writeString(
                configuration,
                """
                global: {scrape_interval: 1s}
                scrape_configs:
                  - job_name: sallyport
                    static_configs: [{targets: ["127.0.0.1:%d"]}]
                """
                        .formatted(port));
        Process prometheus =
                Command.of(
                                "prometheus",
                                "--config.file=" + configuration,
                                "--storage.tsdb.path=" + root.resolve("tsdb"),
                                "--web.listen-address=127.0.0.1:" + server)
                        .in(root)
                        .start();
        try {
            String api = "http://127.0.0.1:" + server + "/api/v1/";
            Await.until(
                    "a look at the figures",
                    () -> curl(api + "label/__name__/values").contains("sallyport_moved_bytes"));
            Set<String> known = new TreeSet<>();
            JSON.readTree(curl(api + "label/__name__/values"))
                    .get("data")
                    .forEach(name -> known.add(name.asText()));
            List<String> questions = questions();
            assertThat(questions).hasSizeGreaterThan(15);
            for (String question : questions) {
                JsonNode answer =
                        JSON.readTree(
                                curl(
                                        api
                                                + "query?query="
                                                + URLEncoder.encode(
                                                        question, StandardCharsets.UTF_8)));
                assertThat(answer.get("status").asText()).as(question).isEqualTo("success");
                assertThat(SERIES.matcher(question).results().map(found -> found.group(1)))
                        .as(question)
                        .isNotEmpty()
                        .allMatch(known::contains);
            }
        } finally {
            prometheus.destroy();
        }
    }

    private static List<String> questions() throws IOException {
        JsonNode dashboard = JSON.readTree(Files.readString(Path.of("deploy/grafana.json")));
        List<String> questions = new ArrayList<>();
        for (JsonNode panel : dashboard.get("panels")) {
            panel.get("targets").forEach(target -> questions.add(target.get("expr").asText()));
        }
        return questions;
    }
}
