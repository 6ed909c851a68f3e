package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Bedrock;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Copilot;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.ModelServer;
import dev.sallyport.fixture.PresetRules;
import dev.sallyport.fixture.StockAgents;
import dev.sallyport.sandbox.ShellWords;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/// A person with agents as their vendors publish them, a project with an origin, and a terminal.
/// The model is the test's own and wants a fixed task done.
final class AgentRig implements AutoCloseable {
    private static final String KEY = "sk-real-" + "5b1c7d93e8f04a6c92";

    /// Edit, test, push where it is allowed, try where it is not, and look for what is secret.
    /// Gemini CLI drops what a program writes just before it ends, so programs whose words count
    /// stay for a moment.
    private static final List<String> TASK =
            List.of(
                    "sed -i s/broken/mended/ app.txt",
                    "sh test.sh; sleep 1",
                    "git checkout -q -B agent/x && git commit -qam fixed && git push origin HEAD:agent/x 2>&1; sleep 1",
                    "git push origin HEAD:main 2>&1 || echo given up; sleep 1",
                    "sh look.sh");

    /// A file of the project, because some agents ask before a command names a path outside.
    private static final String LOOK =
            """
            exec > seen.txt 2>/dev/null
            env
            cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'
            find ~ /tmp /etc/sallyport -xdev -type f -size -300k -exec cat {} +
            """;

    private final Path root;
    private final GitServer server;
    private final ModelServer model;
    private final Installation sallyport;
    private final Path app;
    private final List<String> presets;
    private int projects;
    private int terminals;

    /// A person with the API keys of all models.
    ///
    /// @param variables further ones of every command
    AgentRig(Map<String, String> variables, String... agents) throws IOException {
        this(variables, List.of(agents), List.of("anthropic", "openai", "gemini"));
        secret("anthropic", "api.anthropic.com", KEY);
        secret("openai", "api.openai.com", KEY);
        secret("gemini", "generativelanguage.googleapis.com", KEY);
    }

    /// A person without one, who logged in with the agents.
    static AgentRig withLogins(String... agents) throws IOException {
        return withPresets(List.of("chatgpt", "google-login", "vertex"), agents);
    }

    /// A person who needs the secrets of these.
    static AgentRig withPresets(List<String> presets, String... agents) throws IOException {
        return new AgentRig(Map.of(), List.of(agents), presets);
    }

    private AgentRig(Map<String, String> variables, List<String> agents, List<String> presets)
            throws IOException {
        this.presets = presets;
        root = Files.createTempDirectory("sp-agents");
        server = GitServer.start(Files.createDirectory(root.resolve("server")));
        app = server.repository("acme", "app");
        model = ModelServer.start(root.resolve("model"), KEY, TASK);
        Files.createDirectory(person());
        Files.writeString(
                person().resolve(".gitconfig"), "[user]\nname = Ada\nemail = ada@test.example\n");
        StringBuilder programs = new StringBuilder();
        for (String agent : agents) {
            programs.append(StockAgents.install(agent)).append(':');
        }
        Map<String, String> environment = new HashMap<>(variables);
        environment.put("HOME", person().toString());
        environment.put("PATH", programs + System.getenv("PATH"));
        sallyport = Installation.bare(root.resolve("i"), environment);
        Files.copy(server.caFile(), sallyport.home().resolve("git-ca.pem"));
        Files.copy(model.caFile(), sallyport.home().resolve("model-ca.pem"));
        sallyport.policy(rules(presets));
        secret("test", GitServer.HOST, GitServer.TOKEN, "--user", GitServer.USER);
    }

    private String rules(List<String> presets) {
        PresetRules here = new PresetRules(model.dial(), "model-ca.pem");
        StringBuilder egress = new StringBuilder();
        presets.forEach(preset -> egress.append(here.of(preset)));
        for (String host : List.of("auth.openai.com", "oauth2.googleapis.com")) {
            egress.append("  - {host: %s, ports: [443], methods: [], ".formatted(host))
                    .append("dial: \"%s\", ca-file: model-ca.pem}\n".formatted(model.dial()));
        }
        return """
        hosts:
          - name: %s
            kind: plain
            ca-file: git-ca.pem
            dial: "%s"
        egress:
        %s"""
                .formatted(GitServer.HOST, server.dial(), egress);
    }

    private void secret(String name, String host, String value, String... more) {
        List<String> arguments = new ArrayList<>(List.of("secret", "set", name, "--host", host));
        arguments.addAll(List.of(more));
        sallyport.sallyport(arguments.toArray(String[]::new)).input(value + "\n").run().ok();
    }

    /// The same person, who has stored a token for a service by now.
    void store(String preset, String host, String token) {
        secret(preset, host, token);
        sallyport.policy(rules(Stream.concat(presets.stream(), Stream.of(preset)).toList()));
    }

    /// ... and removed it.
    void remove(String preset) {
        sallyport.policy(rules(presets));
        sallyport.sallyport("secret", "remove", preset).run().ok();
    }

    /// What a test leaves behind for the next one.
    void clear() {
        tmux("kill-server").run();
        model.forget();
        GitServer.git(app, "update-ref", "-d", "refs/heads/agent/x");
    }

    @Override
    public void close() {
        sallyport.close();
        model.close();
        server.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    ModelServer model() {
        return model;
    }

    Installation sallyport() {
        return sallyport;
    }

    /// The person's home.
    Path person() {
        return root.resolve("person");
    }

    /// The agent is given its task, does it and ends.
    ///
    /// @param typed after `run`
    void print(String... typed) throws IOException {
        Path project = project(typed[0] + "-print");
        atTerminal(project, words("run", typed));
        assertThat(await("status 0.")).contains(ModelServer.DONE);
        assertTheTaskIsDone(project);
    }

    /// The agent shows its interface without a question, is told its task there and does it.
    ///
    /// @param ready what it shows when it can be told
    void converse(String ready, String... typed) throws IOException {
        Path project = project(typed[0] + "-screen");
        atTerminal(project, words("run", typed));
        assertThat(await(ready))
                .doesNotContainIgnoringCase("log in")
                .doesNotContainIgnoringCase("sign in")
                .doesNotContainIgnoringCase("trust")
                .doesNotContainIgnoringCase("theme");
        tmux("send-keys", "mend it").run().ok();
        await("mend it");
        tmux("send-keys", "Enter").run().ok();
        await(ModelServer.DONE);
        assertTheTaskIsDone(project);
    }

    private static String[] words(String first, String... more) {
        return Stream.concat(Stream.of(first), Stream.of(more)).toArray(String[]::new);
    }

    /// A clone of the repository, as a person has it.
    Path project(String name) throws IOException {
        projects++;
        Path project = root.resolve(name + "-" + projects);
        GitServer.git(root, "clone", "-q", app.toString(), project.toString());
        GitServer.git(
                project, "remote", "set-url", "origin", "https://" + GitServer.HOST + "/acme/app");
        Files.writeString(project.resolve("app.txt"), "it is broken\n");
        Files.writeString(
                project.resolve("test.sh"), "grep -q mended app.txt && echo tests passed\n");
        Files.writeString(project.resolve("look.sh"), LOOK);
        GitServer.git(project, "add", "-A");
        GitServer.git(project, "commit", "-q", "-m", "more");
        return project;
    }

    Command tmux(String... arguments) {
        String socket = root.resolve("t" + terminals).toString();
        List<String> argv = new ArrayList<>(List.of("tmux", "-f", "/dev/null", "-S", socket));
        argv.addAll(List.of(arguments));
        return Command.of(argv);
    }

    /// Starts the command line in a terminal, and answers its question for the repository. Each has
    /// a server of its own: the last one may still be ending.
    void atTerminal(Path project, String... arguments) {
        terminals++;
        List<String> argv =
                new ArrayList<>(List.of(Path.of("sallyport").toAbsolutePath().toString()));
        argv.addAll(List.of(arguments));
        String command = ShellWords.quote(argv) + "; echo \"status $?.\"; sleep 600";
        Command start =
                tmux(
                                "new-session",
                                "-d",
                                "-x",
                                "130",
                                "-y",
                                "50",
                                "-c",
                                project.toString(),
                                command)
                        .with("SALLYPORT_HOME", sallyport.home().toString());
        sallyport.environment().forEach(start::with);
        start.run().ok();
        await("Use " + GitServer.HOST + "/acme/app");
        tmux("send-keys", "Enter").run().ok();
    }

    String await(String text) {
        long deadline = System.nanoTime() + Duration.ofMinutes(5).toNanos();
        String screen = "";
        while (!screen.contains(text)) {
            assertThat(System.nanoTime()).as(text + " in:\n" + screen).isLessThan(deadline);
            LockSupport.parkNanos(200_000_000);
            screen = tmux("capture-pane", "-p", "-J").run().out();
        }
        return screen;
    }

    void assertTheTaskIsDone(Path project) throws IOException {
        assertThat(model.results()).hasSize(TASK.size());
        assertThat(model.results().get(1)).contains("tests passed");
        assertThat(model.results().get(2)).contains("new branch");
        assertThat(model.results().get(3)).contains("remote rejected").contains("given up");
        assertThat(GitServer.git(app, "log", "-1", "--format=%s %an %ae", "agent/x"))
                .isEqualTo("fixed Ada ada@test.example");
        assertThat(GitServer.git(app, "show", "agent/x:app.txt")).isEqualTo("it is mended");
        assertThat(GitServer.git(app, "log", "-1", "--format=%s", "main")).isEqualTo("first");
        assertThat(model.turnedAway()).isEmpty();
        assertThat(Files.readString(project.resolve("seen.txt"), StandardCharsets.ISO_8859_1))
                .containsAnyOf(
                        "the-gateway-of-sallyport-has-the-",
                        "CLAUDE_CODE_SKIP_VERTEX_AUTH",
                        "CLAUDE_CODE_SKIP_BEDROCK_AUTH")
                .contains("SALLYPORT_POLICY")
                .doesNotContain(KEY)
                .doesNotContain(GitServer.TOKEN)
                .doesNotContain(model.subscriptions().secrets())
                .doesNotContain(Bedrock.secrets())
                .doesNotContain(Copilot.TOKEN);
    }
}
