package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.LostJob;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The command line as a person uses it, on real bubblewrap sandboxes.
class CliIT {
    private static final int WAIT_SECONDS = 60;

    @TempDir static Path root;
    private static Installation installation;

    @TempDir Path directory;

    @BeforeAll
    static void install() {
        installation = Installation.bare(root.resolve("i")).onlyProcesses();
    }

    @AfterAll
    static void uninstall() {
        installation.close();
    }

    /// Each test finds the workspace empty; the daemons may be running or not.
    @BeforeEach
    void tidy() throws IOException {
        try (var files = Files.newDirectoryStream(installation.workspace())) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }

    private Command run(String... command) {
        List<String> arguments =
                new ArrayList<>(List.of("run", "--runtime", "bubblewrap", "--no-repo", "--"));
        arguments.addAll(List.of(command));
        return installation.sallyport(arguments.toArray(String[]::new));
    }

    private static void make(String name) {
        String make = "new --name " + name + " --runtime bubblewrap --no-repo";
        installation.sallyport(make.split(" ", -1)).run().ok();
    }

    private JsonNode json(String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--json");
        Command.Result result = installation.sallyport(all.toArray(String[]::new)).run();
        assertThat(result.exit()).as(result.all()).isZero();
        return new ObjectMapper().readTree(result.out());
    }

    private JsonNode sandboxes() throws IOException {
        return json("list").path("sandboxes");
    }

    @Test
    void runPassesPipesAndStatusOnAndLeavesNothing() throws IOException {
        Command.Result result =
                run("sh", "-c", "tr a-z A-Z; echo loud >&2; exit 7").input("hello").run();

        assertThat(result.exit()).isEqualTo(7);
        assertThat(result.out()).isEqualTo("HELLO");
        assertThat(result.err()).contains("loud");
        assertThat(run("no-such-command").run().exit()).isEqualTo(127);
        assertThat(run("sh", "-c", "kill -9 $$").run().exit()).isEqualTo(137);
        assertThat(sandboxes()).isEmpty();
    }

    /// Through `/proc/self/fd` a descriptor can be opened anew, with rights that it did not come
    /// with.
    @Test
    void i7WhatStreamsAreRedirectedToStaysOutside() throws IOException {
        Path input = Files.writeString(directory.resolve("input"), "read me\n");
        Path log = Files.writeString(directory.resolve("log"), "before\n");
        String script = "cat; echo planted >>/proc/self/fd/0; : >/proc/self/fd/1; echo after";
        List<String> all =
                new ArrayList<>(List.of("sh", "-c", "exec \"$@\" <\"$IN\" >>\"$LOG\"", "sh"));
        all.add(Path.of("sallyport").toAbsolutePath().toString());
        all.addAll(List.of("run", "--runtime", "bubblewrap", "--no-repo", "--"));
        all.addAll(List.of("sh", "-c", script));
        Command.Result result =
                Command.of(all)
                        .in(installation.workspace())
                        .with("SALLYPORT_HOME", installation.home().toString())
                        .with("IN", input.toString())
                        .with("LOG", log.toString())
                        .run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(input).hasContent("read me\n");
        assertThat(log).hasContent("before\nread me\nafter\n");
    }

    /// Whatever the command's streams are: its end is not the end of ours.
    @Test
    void i7TheNoticeOfChangesIsGivenToAFileAndToATerminalWithoutInput() throws IOException {
        Command.Result toFile = run("sh", "-c", "echo x >.envrc; echo said >&2").run();
        assertThat(toFile.err()).contains("said").contains("CHANGED").contains(".envrc");

        Path screen = directory.resolve("screen");
        String line =
                Path.of("sallyport").toAbsolutePath()
                        + " run --runtime bubblewrap --no-repo -- sh -c 'rm .envrc' </dev/null";
        Command.of("script", "--quiet", "--return", "--command", line, screen.toString())
                .in(installation.workspace())
                .with("SALLYPORT_HOME", installation.home().toString())
                .run()
                .ok();
        assertThat(screen).content().contains("CHANGED").contains(".envrc");
    }

    @Test
    void anInterruptIsTheCommands() throws Exception {
        Process process =
                start(
                        "trap 'echo interrupted; exit 9' INT; echo ready >ready; while :; do sleep 0.1; done");
        signal("INT", process.pid());

        assertThat(process.waitFor(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(9);
        assertThat(process.inputReader(StandardCharsets.UTF_8).lines()).contains("interrupted");
        assertThat(sandboxes()).isEmpty();
    }

    @Test
    void terminationEndsTheCommandAndRemovesTheSandbox() throws Exception {
        Process process = start("echo ready >ready; exec sleep 987654");
        signal("TERM", process.pid());

        assertThat(process.waitFor(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(143);
        assertThat(sandboxes()).isEmpty();
        assertThat(running("sleep 987654")).isFalse();
    }

    @Test
    void aKilledCommandLineLeavesNothing() throws Exception {
        Process process = start("echo ready >ready; exec sleep 987655");
        process.destroyForcibly().waitFor();

        Await.until(() -> sandboxes().isEmpty());
        assertThat(running("sleep 987655")).isFalse();
    }

    @Test
    void aJobEndsWithItsTerminalAndItsCommandLine() throws IOException {
        make("job");
        new LostJob(installation, "job").endsHoweverItsCommandLineIsLost();
        installation.sallyport("destroy", "job").run().ok();
    }

    @Test
    void whatACommandLeavesInTheBackgroundStays() throws Exception {
        make("left");
        String leave = "setsid sleep 987653 >/dev/null 2>&1 </dev/null &";
        installation.sallyport("exec", "left", "--", "sh", "-c", leave).run().ok();
        installation.sallyport("exec", "left", "--", "true").run().ok();
        assertThat(running("sleep 987653")).isTrue();
        installation.sallyport("destroy", "left").run().ok();
    }

    @Test
    void noCommandEndsWithADaemonThatIsKilledOrToldToKeepSandboxes() throws Exception {
        Process run = start("echo ready >ready; until [ -e go ]; do sleep 0.1; done; exit 4");
        long killed = json("status").path("wardenPid").asLong();
        assertThat(ProcessHandle.of(killed).map(ProcessHandle::destroyForcibly)).contains(true);
        awaitNext(killed);

        make("kept");
        String job = "echo >begun; until [ -e go ]; do sleep 0.1; done; exit 5";
        Process exec = installation.sallyport("exec", "kept", "--", "sh", "-c", job).start();
        awaitFile("begun");
        long told = json("status").path("wardenPid").asLong();
        installation.sallyport("down", "--keep-sandboxes").run().ok();
        awaitNext(told);

        assertThat(List.of(run.isAlive(), exec.isAlive())).containsOnly(true);
        Files.createFile(installation.workspace().resolve("go"));
        assertThat(run.waitFor(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(exec.waitFor(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(List.of(run.exitValue(), exec.exitValue())).containsExactly(4, 5);
        installation.sallyport("destroy", "kept").run().ok();
        assertThat(sandboxes()).isEmpty();
    }

    /// Only the lease of the command that runs starts another one: status does not.
    private void awaitNext(long before) throws Exception {
        Await.until(() -> installation.sallyport("status").run().exit() == 0);
        assertThat(json("status").path("wardenPid").asLong()).isNotEqualTo(before);
        // Longer than the grace for a lease that nobody takes again.
        Thread.sleep(Duration.ofSeconds(12));
    }

    @Test
    void aTerminalIsPassedOnWithItsSizeAndItsInterrupts() throws Exception {
        String name = "sallyport-" + ProcessHandle.current().pid();
        Path screen = directory.resolve("screen");
        String command =
                "SALLYPORT_HOME=%s %s run --runtime bubblewrap --no-repo -- bash --norc; echo status $? >%s/status"
                        .formatted(
                                installation.home(),
                                Path.of("sallyport").toAbsolutePath(),
                                directory);
        String begin = "new-session -d -x 91 -y 31 -s " + name + " -c " + installation.workspace();
        tmux(
                name,
                Stream.concat(Stream.of(begin.split(" ")), Stream.of(command))
                        .toArray(String[]::new));
        try {
            type(name, "stty size >size; touch ready");
            awaitFile("ready");
            type(name, "sleep 987656; echo interrupted $? >interrupted");
            Await.until(() -> running("sleep 987656"));
            tmux(name, "send-keys", "-t", name, "C-c");
            type(name, "tty >tty; exit 5");
            Await.until(() -> Files.exists(directory.resolve("status")));
        } finally {
            Files.writeString(screen, Command.of("tmux", "-L", name, "kill-server").run().all());
        }
        assertThat(workspaceFile("size")).isEqualTo("31 91");
        assertThat(workspaceFile("tty")).startsWith("/dev/");
        assertThat(Files.readString(directory.resolve("status")).strip()).isEqualTo("status 5");
        assertThat(running("sleep 987656")).isFalse();
    }

    @Test
    void twoCommandLinesAtOnceStartOneWarden() throws Exception {
        installation.sallyport("down").run().ok();
        Process first = installation.sallyport("up", "--json").start();
        Process second = installation.sallyport("up", "--json").start();

        assertThat(pid(first)).isPositive().isEqualTo(pid(second));
    }

    private static long pid(Process up) throws Exception {
        String out = new String(up.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(up.waitFor()).isZero();
        return new ObjectMapper().readTree(out).path("wardenPid").asLong();
    }

    @Test
    void everyStepOfASandboxesLifeIsJson() throws IOException {
        String workspace = installation.workspace().toString();
        String create = "new --name work --runtime bubblewrap --no-repo --workspace " + workspace;
        JsonNode made = json(create.split(" ", -1));
        assertThat(made.path("state").asText()).isEqualTo("running");
        assertThat(json("show", "work").path("workspace").asText()).isEqualTo(workspace);
        assertThat(json("stop", "work").path("state").asText()).isEqualTo("stopped");
        assertThat(json("start", "work").path("state").asText()).isEqualTo("running");
        assertThat(sandboxes()).hasSize(1);
        assertThat(json("destroy", "work")).isEmpty();
        assertThat(sandboxes()).isEmpty();
        assertThat(json("secret", "list").path("secrets")).isEmpty();
        assertThat(json("audit", "verify").path("holds").asBoolean()).isTrue();
        assertThat(json("down")).isEmpty();
        assertThat(installation.sallyport("status").run().exit()).isEqualTo(69);
        assertThat(json("down")).isEmpty();
    }

    @Test
    void whatIsInheritedDoesNotReachTheDaemons() throws Exception {
        installation.sallyport("down").run().ok();
        installation
                .sallyport("up")
                .with("HTTPS_PROXY", "http://evil.example:1")
                .with("SSL_CERT_FILE", "/evil")
                .with("JAVA_TOOL_OPTIONS", "-Devil=1")
                .with("LD_PRELOAD", "/evil.so")
                .with("GITHUB_TOKEN", "ghp_planted")
                .run()
                .ok();
        Await.until(() -> json("status").path("gatewayPid").asLong() > 0);
        JsonNode status = json("status");
        for (String daemon : List.of("wardenPid", "gatewayPid")) {
            Path process = Path.of("/proc", status.path(daemon).asText());
            assertThat(Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1))
                    .doesNotContain("evil", "planted");
            assertThat(Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1))
                    .doesNotContain("evil", "planted");
        }
    }

    private Process start(String script) throws Exception {
        List<String> argv = new ArrayList<>(List.of("env", "--default-signal=INT"));
        argv.addAll(List.of(Path.of("sallyport").toAbsolutePath().toString(), "run", "--runtime"));
        argv.addAll(List.of("bubblewrap", "--no-repo", "--", "bash", "-c", script));
        Process process =
                Command.of(argv)
                        .in(installation.workspace())
                        .with("SALLYPORT_HOME", installation.home().toString())
                        .start();
        Path ready = installation.workspace().resolve("ready");
        try {
            Await.until(() -> Files.exists(ready) || !process.isAlive());
        } catch (AssertionError e) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.toHandle().destroyForcibly();
            throw new AssertionError("it does not get ready: " + said(process), e);
        }
        if (!Files.exists(ready)) {
            throw new AssertionError("it ended with " + process.exitValue() + ": " + said(process));
        }
        return process;
    }

    /// Its complaints and the warden's.
    private static String said(Process process) throws IOException {
        List<String> log =
                Files.readAllLines(installation.home().resolve("run").resolve("warden.log"));
        return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8)
                + String.join("\n", log.subList(Math.max(0, log.size() - 40), log.size()));
    }

    private void awaitFile(String name) throws Exception {
        Await.until(() -> Files.exists(installation.workspace().resolve(name)));
    }

    private String workspaceFile(String name) throws IOException {
        return Files.readString(installation.workspace().resolve(name)).strip();
    }

    private static void signal(String signal, long pid) {
        Command.of("kill", "-s", signal, Long.toString(pid)).run().ok();
    }

    private static void type(String server, String line) {
        tmux(server, "send-keys", "-t", server, line, "Enter");
    }

    private static void tmux(String server, String... arguments) {
        List<String> argv = new ArrayList<>(List.of("tmux", "-L", server, "-f", "/dev/null"));
        argv.addAll(List.of(arguments));
        Command.of(argv).run().ok();
    }

    /// Whether a process with exactly this command line runs, inside or outside.
    private static boolean running(String commandLine) {
        return ProcessHandle.allProcesses()
                .map(ProcessHandle::info)
                .map(CliIT::words)
                .anyMatch(words -> words.endsWith("/" + commandLine) || words.equals(commandLine));
    }

    private static String words(ProcessHandle.Info info) {
        return info.command().orElse("")
                + Optional.of(info.arguments().map(a -> String.join(" ", a)).orElse(""))
                        .map(arguments -> " " + arguments)
                        .orElse("");
    }
}
