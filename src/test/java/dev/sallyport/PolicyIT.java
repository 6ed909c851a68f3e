package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.WebServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// How a person changes what a sandbox reaches: by hand, by trusting a project, by learning.
///
/// Rules with `dial` lead to a web server of the test's own. All other names are asked of a
/// resolver that hangs up: that it was asked shows that a connection was let through.
class PolicyIT {
    private static final String API = "api.policy.example";
    private static final String KEYED = "keyed.policy.example";
    private static final String NEW = "new.policy.example";

    private Path root;
    private WebServer web;
    private ServerSocket resolver;
    private final AtomicInteger lookups = new AtomicInteger();
    private Installation sallyport;

    @BeforeEach
    void startEverything() throws IOException {
        root = Files.createTempDirectory("sp-policy");
        web = WebServer.start(root.resolve("web"), API, KEYED, NEW);
        resolver = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::hangUp);
        sallyport = Installation.bare(root.resolve("i"));
        Files.copy(web.caFile(), sallyport.home().resolve("web-ca.pem"));
        Files.copy(web.caFile(), sallyport.workspace().resolve("web-ca.pem"));
    }

    private void hangUp() {
        try {
            while (true) {
                Socket asking = resolver.accept();
                lookups.incrementAndGet();
                asking.close();
            }
        } catch (IOException e) {
            // Closed at the end of the test.
        }
    }

    @AfterEach
    void stopEverything() throws IOException {
        sallyport.close();
        resolver.close();
        web.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private void policy(String egress) {
        sallyport.policy(
                "resolver: {dial: \"127.0.0.1:%d\", name: dns.example}\n%s"
                        .formatted(resolver.getLocalPort(), egress));
    }

    private Command.Result run(String... arguments) {
        return sallyport.sallyport(arguments).run();
    }

    private Command.Result make(String name, String... more) {
        List<String> arguments =
                new ArrayList<>(List.of("new", "--name", name, "--runtime", "bubblewrap"));
        arguments.addAll(List.of(more));
        return run(arguments.toArray(String[]::new));
    }

    private String exec(String name, String script) {
        return run("exec", name, "--", "bash", "-uc", script).out();
    }

    /// The audit lines of a sandbox's session.
    private List<JsonNode> record(String name) throws IOException {
        ObjectMapper json = new ObjectMapper();
        String session =
                json.readTree(run("show", name, "--json").ok()).required("session").asText();
        List<JsonNode> lines = new ArrayList<>();
        String all = run("audit", "show", "--session", session, "--json").ok();
        for (String line : all.lines().toList()) {
            lines.add(json.readTree(line));
        }
        return lines;
    }

    private static String fact(JsonNode line, String name) {
        return line.path("detail").path(name).asText();
    }

    private static boolean is(JsonNode line, String kind, String decision, String host) {
        return line.path("kind").asText().equals(kind)
                && line.path("decision").asText().equals(decision)
                && fact(line, "host").equals(host);
    }

    @Test
    void allowOpensAHostToASandboxThatIsThere() throws IOException {
        policy("");
        make("work", "--no-repo").ok();
        String ask =
                """
                getent hosts new.policy.example >/dev/null && echo resolved || echo unknown
                curl -sS -m 60 -o /dev/null -w '%{http_connect}\\n' -x http://127.0.0.1:3128 https://new.policy.example/
                """;
        assertThat(exec("work", ask)).isEqualTo("unknown\n403\n");
        assertThat(lookups).hasValue(0);
        assertThat(run("policy", "explain", NEW, "--sandbox", "work").exit()).isEqualTo(1);

        assertThat(run("allow", "work", "github.com").exit()).isNotZero();
        run("allow", "work", NEW).ok();
        assertThat(exec("work", ask)).isEqualTo("resolved\n200\n");
        assertThat(lookups).hasPositiveValue();
        assertThat(run("policy", "explain", NEW, "--sandbox", "work").ok())
                .isEqualTo("allowed (tunnelled) by --allow");

        List<JsonNode> record = record("work");
        assertThat(record)
                .anyMatch(line -> is(line, "egress.connect", "deny", NEW))
                .anyMatch(line -> line.path("kind").asText().equals("session.allow"))
                .anyMatch(
                        line ->
                                is(line, "egress.connect", "allow", NEW)
                                        && fact(line, "rule").equals("--allow"));
        assertThat(record).noneMatch(line -> fact(line, "hosts").contains("github.com"));
    }

    /// I7.
    @Test
    void aProjectsRulesHoldWhileItsBytesAreTrusted() throws IOException {
        policy("");
        Path file = sallyport.workspace().resolve(".sallyport.yaml");
        String rules =
                "egress:\n  - host: %s\n    ports: [443]\n    dial: \"%s\"\n"
                        .formatted(NEW, web.dial());
        Files.writeString(file, rules);
        String ask = "curl -sS -m 60 --cacert web-ca.pem https://new.policy.example/hello.txt";

        Command.Result untrusted = inSandbox(ask);
        assertThat(untrusted.err()).contains("is not trusted in its current state");
        assertThat(untrusted.exit()).isNotZero();
        assertThat(web.requests()).isEmpty();

        assertThat(run("policy", "trust").ok()).contains("trusted: ").contains(NEW);
        // The sandbox itself writes to the file, as an agent would.
        Command.Result trusted = inSandbox(ask + "; echo '# more' >>.sallyport.yaml");
        assertThat(trusted.out()).isEqualTo("hello from " + NEW + "\n");
        assertThat(trusted.err()).doesNotContain("not trusted");
        assertThat(web.requests()).hasSize(1);

        Command.Result changed = inSandbox(ask);
        assertThat(changed.err()).contains("is not trusted in its current state");
        assertThat(changed.exit()).isNotZero();
        assertThat(web.requests()).hasSize(1);
        assertThat(lookups).hasValue(0);
    }

    private Command.Result inSandbox(String script) {
        return run("run", "--runtime", "bubblewrap", "--no-repo", "--", "bash", "-uc", script);
    }

    /// One host that is inspected, and one that a secret is written for.
    private void twoRules() {
        policy(
                """
                egress:
                  - host: %s
                    ports: [443]
                    methods: [GET]
                    dial: "%s"
                    ca-file: web-ca.pem
                  - host: %s
                    methods: [GET]
                    inject: {secret: keyed, header: x-api-key}
                    dial: "%s"
                    ca-file: web-ca.pem
                """
                        .formatted(API, web.dial(), KEYED, web.dial()));
        sallyport
                .sallyport("secret", "set", "keyed", "--host", KEYED)
                .input("planted-" + "4be1c09d77\n")
                .run()
                .ok();
    }

    @Test
    void whatWasLearnedBecomesAPolicyThatAllowsJustThat() throws IOException {
        twoRules();
        Command.Result made = make("learner", "--learn", "--repo", "acme/app:read");
        assertThat(made.ok()).isEqualTo("learner");
        assertThat(made.err()).contains("NOT ISOLATED");
        assertThat(run("show", "learner").ok()).contains("NOT ISOLATED");

        assertThat(
                        exec(
                                "learner",
                                """
                                ask() { curl -sS -m 60 -o /dev/null -w "$1 %{http_connect} %{http_code}\\n" "${@:2}"; }
                                ask get https://api.policy.example/hello.txt
                                ask post -d x https://api.policy.example/posted/x
                                ask keyed -d x https://keyed.policy.example/posted/x
                                ask new https://new.policy.example/hello.txt
                                ask github -x http://127.0.0.1:3128 https://github.com/acme/other
                                git ls-remote https://github.com/acme/other && echo listed
                                """))
                .isEqualTo(
                        """
                        get 000 200
                        post 000 200
                        keyed 000 405
                        new 000 000
                        github 200 404
                        """);
        assertThat(web.requests())
                .hasSize(2)
                .anyMatch(line -> line.contains("POST /posted/x"))
                .noneMatch(line -> line.contains("planted-"));
        assertThat(lookups).as("the learned host was to be dialled").hasPositiveValue();
        assertThat(record("learner"))
                .anyMatch(line -> is(line, "egress.request", "allow", API))
                .anyMatch(line -> is(line, "egress.request", "learned", API))
                .anyMatch(line -> is(line, "egress.connect", "learned", NEW))
                .anyMatch(line -> is(line, "egress.request", "deny", KEYED))
                .anyMatch(line -> is(line, "egress.connect", "allow", "github.com"))
                .noneMatch(line -> is(line, "egress.connect", "learned", "github.com"));
        use(run("policy", "suggest", "learner").ok());
    }

    private void use(String suggested) throws IOException {
        assertThat(suggested)
                .contains("- host: " + API + "    # 1 time; POST of /posted/x", "- host: " + NEW)
                .doesNotContain(KEYED, "github.com");
        Path file = sallyport.workspace().resolve("suggested.yaml");
        Files.writeString(file, suggested);
        assertThat(run("policy", "check", "suggested.yaml").ok()).contains("2 host rules");

        run("destroy", "learner").ok();
        run("down").ok();
        // The suggested hosts live on loopback here.
        policy(suggested.replace("ports: [443]", "ports: [443]\n    dial: \"" + web.dial() + '"'));
        int before = web.requests().size();
        assertThat(
                        inSandbox(
                                        """
                                        ask() { curl -sS -m 60 --cacert web-ca.pem -o /dev/null -w '%{http_code}\\n' "$@"; }
                                        ask -d x https://api.policy.example/posted/x
                                        ask https://new.policy.example/hello.txt
                                        ask http://new.policy.example/hello.txt
                                        ask https://keyed.policy.example/hello.txt
                                        ask https://x.new.policy.example/hello.txt
                                        """)
                                .out())
                .startsWith("200\n200\n")
                .doesNotContain("200\n200\n200")
                .endsWith("000\n000\n");
        assertThat(web.requests()).hasSize(before + 2);
    }
}
