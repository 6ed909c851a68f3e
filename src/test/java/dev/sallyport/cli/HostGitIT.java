package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the host's git does in a workspace after a sandbox had it (I7, I13). `HostGitTest` has all
/// the ways; here is that the commands see to it.
class HostGitIT {
    private static final String PLANTS =
            """
            printf '#!/bin/sh\\ntouch %s\\n' "$RAN" >evil.sh; chmod +x evil.sh
            git config core.fsmonitor $PWD/evil.sh
            cp evil.sh .git/hooks/pre-commit
            git init -q sub; git -C sub config core.fsmonitor $PWD/evil.sh
            """;
    private static final String PLANT_LATER =
            "(until [ -e go ]; do sleep 0.1; done; cp evil.sh .git/hooks/pre-commit; rm go) >/dev/null 2>&1 &";

    @TempDir static Path root;
    private static Installation installation;

    @TempDir Path directory;
    private Path work;
    private Path ran;

    @BeforeAll
    static void install() {
        installation = Installation.bare(root.resolve("i")).onlyProcesses();
    }

    @AfterAll
    static void uninstall() {
        installation.close();
    }

    @BeforeEach
    void clone0() throws IOException {
        work = Files.createDirectory(directory.toRealPath().resolve("work"));
        ran = directory.toRealPath().resolve("ran");
        git("init", "-q", ".");
        git("config", "user.name", "P");
        git("config", "user.email", "p@a.example");
        git("commit", "-q", "--allow-empty", "-m", "1");
    }

    private void git(String... arguments) {
        List<String> argv = new ArrayList<>(List.of("git"));
        argv.addAll(List.of(arguments));
        Command.of(argv).in(work).run();
    }

    /// What a person does next.
    private boolean gitRunsIt() throws IOException {
        Files.deleteIfExists(ran);
        git("status");
        git("-C", "sub", "status");
        git("commit", "--allow-empty", "-m", "2");
        return Files.exists(ran);
    }

    private Command.Result sallyport(String... arguments) {
        Command.Result result = installation.sallyport(arguments).in(work).run();
        assertThat(result.exit()).as(result.all()).isZero();
        return result;
    }

    private Command.Result run(String... options) {
        List<String> all = new ArrayList<>(List.of("run", "--runtime", "bubblewrap", "--no-repo"));
        all.addAll(List.of(options));
        all.addAll(List.of("--env", "RAN=" + ran, "--", "sh", "-c", PLANTS));
        return sallyport(all.toArray(String[]::new));
    }

    @Test
    void i13AfterRunGitOfTheHostRunsNothingOfTheSandboxes() throws IOException {
        Command.Result result = run();
        assertThat(result.err())
                .contains("MOVED ASIDE: " + work + "/.git/config")
                .contains("core.fsmonitor")
                .contains("MOVED ASIDE: " + work + "/.git/hooks/pre-commit")
                .contains("MOVED ASIDE: " + work + "/sub/.git/config");
        assertThat(gitRunsIt()).isFalse();
        assertThat(Command.of("git", "config", "user.name").in(work).run().ok()).isEqualTo("P");
    }

    @Test
    void i13WhatIsKeptOnRequestIsNamedAndRuns() throws IOException {
        assertThat(run("--keep-triggers").err()).contains("CHANGED").doesNotContain("MOVED");
        assertThat(gitRunsIt()).isTrue();
    }

    @Test
    void i13OfASandboxThatStaysWhatItDoesBetweenCommandsIsSeenToo() throws Exception {
        sallyport("new", "--name", "stays", "--runtime", "bubblewrap", "--no-repo");
        Command.Result first =
                sallyport("exec", "--env", "RAN=" + ran, "stays", "--", "sh", "-c", PLANTS);
        assertThat(first.err()).contains("MOVED ASIDE: " + work + "/.git/config");

        sallyport("exec", "stays", "--", "sh", "-c", PLANT_LATER);
        plantNow();
        assertThat(sallyport("exec", "stays", "--", "true").err())
                .contains("MOVED ASIDE: " + work + "/.git/hooks/pre-commit");
        assertThat(gitRunsIt()).isFalse();

        sallyport("exec", "stays", "--", "sh", "-c", PLANT_LATER);
        plantNow();
        assertThat(sallyport("stop", "stays").err()).contains("MOVED ASIDE");
        assertThat(gitRunsIt()).isFalse();

        sallyport("start", "stays");
        sallyport("exec", "stays", "--", "sh", "-c", PLANT_LATER);
        plantNow();
        assertThat(sallyport("destroy", "stays").err()).contains("MOVED ASIDE");
        assertThat(gitRunsIt()).isFalse();
        assertThat(installation.home().resolve("watched")).isEmptyDirectory();
    }

    /// A person at a terminal may take another origin, and is shown both.
    @Test
    void i15AnotherOriginNeedsAPerson() throws IOException {
        try (FakeWarden warden = FakeWarden.start(Files.createDirectory(directory.resolve("f")))) {
            warden.answer("POST /v1/sandboxes", 200, CommandsTest.VIEW);
            git("remote", "add", "origin", "https://github.com/acme/app");
            atTerminal(warden, "");
            assertThat(warden.asked().getLast()).contains("[\"github.com/acme/app\"]");

            git("remote", "set-url", "origin", "https://github.com/acme/other");
            assertThat(atTerminal(warden, "\n")).contains("acme/other; it was github.com/acme/app");
            assertThat(warden.asked().getLast()).contains("\"repos\":[]");
            atTerminal(warden, "y\n");
            assertThat(warden.asked().getLast()).contains("[\"github.com/acme/other\"]");
            assertThat(atTerminal(warden, "")).doesNotContain("was github.com/acme/app");
            assertThat(warden.asked().getLast()).contains("[\"github.com/acme/other\"]");
        }
    }

    private String atTerminal(FakeWarden warden, String typed) throws IOException {
        Path screen = directory.resolve("screen");
        String line = Path.of("sallyport").toAbsolutePath() + " new --yes";
        Command.of("script", "--quiet", "--return", "--command", line, screen.toString())
                .in(work)
                .with("SALLYPORT_HOME", warden.home().root().toString())
                .input(typed)
                .run()
                .ok();
        return Files.readString(screen);
    }

    /// A process of the sandbox's does it, while no command runs there.
    private void plantNow() throws Exception {
        Path go = Files.createFile(work.resolve("go"));
        for (int i = 0; Files.exists(go); i++) {
            assertThat(i).as("tenths of a second").isLessThan(600);
            Thread.sleep(100);
        }
    }
}
