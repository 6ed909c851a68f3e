package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// How git is set up inside a sandbox: what is off by default, who is told, and what turns it on.
class InsideGitIT {
    private static final String COMMIT =
            "rm -f ran; git -c user.name=A -c user.email=a@test.example commit -q --allow-empty -m x;"
                    + " cat ran 2>/dev/null";

    private static Path root;
    private static Installation sallyport;

    @BeforeAll
    static void start() throws IOException {
        root = Files.createTempDirectory("sp-inside");
        sallyport = Installation.bare(root.resolve("i"));
        Command.of("git", "init", "-q", sallyport.workspace().toString()).run().ok();
        Path hook = sallyport.workspace().resolve(".git/hooks/pre-commit");
        Files.writeString(hook, "#!/bin/sh\necho hook > ran\n");
        Files.setPosixFilePermissions(hook, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterAll
    static void stop() {
        sallyport.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private static Command.Result run(String script, String... options) {
        List<String> argv =
                new ArrayList<>(
                        List.of("run", "--runtime", "bubblewrap", "--ephemeral-home", "--no-repo"));
        argv.addAll(List.of(options));
        argv.addAll(List.of("--", "bash", "-c", script));
        return sallyport.sallyport(argv.toArray(String[]::new)).run();
    }

    @Test
    void hooksDoNotRunAndThePersonIsToldHowToRunThem() {
        Command.Result off = run(COMMIT);
        assertThat(off.out()).isEmpty();
        assertThat(off.err())
                .contains("pre-commit")
                .contains("To run or install them, add --git-hooks");

        Command.Result on = run(COMMIT, "--git-hooks");
        assertThat(on.ok()).isEqualTo("hook");
        assertThat(on.err()).doesNotContain("--git-hooks");
    }

    /// git prefers what the repository says to any file of the system.
    @ParameterizedTest
    @ValueSource(strings = {".husky/_", ".githooks"})
    void hooksInADirectoryThatTheRepositoryNamesDoNotRunEither(String place) throws IOException {
        Path workspace = sallyport.workspace();
        Path hook = Files.createDirectories(workspace.resolve(place)).resolve("pre-commit");
        Files.writeString(hook, "#!/bin/sh\necho named > ran\n");
        Files.setPosixFilePermissions(hook, PosixFilePermissions.fromString("rwxr-xr-x"));
        Command.of("git", "config", "core.hooksPath", place).in(workspace).run().ok();
        try {
            Command.Result off = run(COMMIT);
            assertThat(off.out()).isEmpty();
            assertThat(off.err()).contains(place.replace("/_", "") + ", pre-commit");
            assertThat(run(COMMIT, "--git-hooks").ok()).isEqualTo("named");
        } finally {
            Command.of("git", "config", "--unset", "core.hooksPath").in(workspace).run().ok();
            Command.of("rm", "-rf", ".husky", ".githooks").in(workspace).run().ok();
        }
    }

    @Test
    void aProjectFileTurnsHooksOnOnlyWhenItIsTrusted() throws IOException {
        Path file = sallyport.workspace().resolve(".sallyport.yaml");
        Files.writeString(file, "sandbox: {git-hooks: true}\n");
        try {
            assertThat(run(COMMIT).out()).isEmpty();
            sallyport.sallyport("policy", "trust", file.toString()).run().ok();
            assertThat(run(COMMIT).ok()).isEqualTo("hook");
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void commitsCarryThePersonsNameAndNothingElseOfTheirConfiguration() throws IOException {
        Path own = root.resolve("gitconfig");
        Path further = root.resolve("further");
        Files.writeString(
                own,
                """
                [user]
                	name = Ada \\"Countess\\" Lovelace \\\\ Byron
                	email = ada@test.example
                	signingKey = ABCDEF
                [init]
                	defaultBranch = trunk
                [commit]
                	gpgSign = true
                [credential]
                	helper = store
                [includeIf "gitdir:%s/"]
                	path = %s
                """
                        .formatted(sallyport.workspace().toRealPath(), further));
        Files.writeString(further, "[user]\n\temail = ada@work.example\n");
        Command.of("git", "config", "commit.gpgSign", "true").in(sallyport.workspace()).run().ok();
        String look =
                "git commit -q --allow-empty -m x && git log -1 --format='%an <%ae> %cn <%ce>';"
                        + " git init -q ~/r; git -C ~/r symbolic-ref HEAD;"
                        + " git config user.signingKey; git config --get-all credential.helper";
        try {
            assertThat(withIdentity(own, look).lines())
                    .containsExactly(
                            "Ada \"Countess\" Lovelace \\ Byron <ada@work.example>"
                                    + " Ada \"Countess\" Lovelace \\ Byron <ada@work.example>",
                            "refs/heads/trunk",
                            "");
            sallyport.sallyport("down").run().ok();
            sallyport.policy(
                    "sandbox: {git-identity: {name: Build Bot, email: bot@test.example}}\n");
            assertThat(withIdentity(own, look))
                    .startsWith("Build Bot <bot@test.example> Build Bot <bot@test.example>");
        } finally {
            sallyport.sallyport("down").run().ok();
            Files.deleteIfExists(sallyport.home().resolve("policy.yaml"));
        }
    }

    /// As an agent does for the commands of its model. What the repository says still comes first.
    @Test
    void whoeverTurnsGitsFilesOffHasTheNameAllTheSame() throws IOException {
        Path own = root.resolve("gitconfig-off");
        Files.writeString(
                own, "[user]\n\tname = Ada & Charles, both\n\temail = ada@test.example\n");
        String look =
                "export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_NOSYSTEM=1;"
                        + " git init -q ~/r; cd ~/r;"
                        + " git commit -q --allow-empty -m x; git config user.email other@test.example;"
                        + " git commit -q --allow-empty -m x; git log --format='%an <%ae>'";
        assertThat(withIdentity(own, look).lines())
                .containsExactly(
                        "Ada   Charles  both <other@test.example>",
                        "Ada   Charles  both <ada@test.example>");
    }

    private static String withIdentity(Path config, String script) {
        return sallyport
                .sallyport(
                        "run",
                        "--runtime",
                        "bubblewrap",
                        "--ephemeral-home",
                        "--no-repo",
                        "--",
                        "sh",
                        "-c",
                        script)
                .with("GIT_CONFIG_GLOBAL", config.toString())
                .run()
                .out();
    }

    @Test
    void aProgramThatInstallsHooksWorks() {
        Command.Result result = run("git init -q ~/r && cd ~/r && git lfs install --local");
        assertThat(result.ok()).contains("Git LFS initialized");
    }

    /// It reads the same configuration, and an empty `http.proxy` made it fail.
    @Test
    void dulwichReadsTheConfiguration() {
        assertThat(
                        run("git init -q ~/r && dulwich clone http://gateway.sallyport/git/a/b ~/c")
                                .err())
                .as("it gets as far as asking")
                .contains("NotGitRepository");
    }

    @Test
    void cloningFromAPathIsRefusedAndToldUntilThePolicyAllowsIt() throws IOException {
        String clone = "git clone -q . ~/copy && echo cloned";
        Command.Result refused = run(clone);
        assertThat(refused.exit()).isNotZero();
        assertThat(refused.err()).contains("transport 'file' not allowed");
        assertThat(run("curl -s $SALLYPORT_POLICY").ok())
                .contains("git-local-clones")
                .contains("to run or install them, start the sandbox with --git-hooks");

        sallyport.sallyport("down").run().ok();
        sallyport.policy("sandbox: {git-local-clones: true}\n");
        try {
            assertThat(run(COMMIT + ";" + clone).ok()).isEqualTo("cloned");
        } finally {
            sallyport.sallyport("down").run().ok();
            Files.delete(sallyport.home().resolve("policy.yaml"));
        }
    }
}
