package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.exceptionfactory.jagged.x25519.X25519KeyPairGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.FakeApp;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.ProcessMemory;
import dev.sallyport.fixture.ProcessWatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A GitHub App instead of a token, as a person uses it, with its key encrypted on the disk.
class AppIT {
    private static final String REPO = FakeApp.HOST + "/acme/app";

    private Path root;
    private Path bare;
    private FakeApp github;
    private Installation sallyport;

    @BeforeEach
    void start() throws Exception {
        root = Files.createTempDirectory("sp-app");
        Path repos = Files.createDirectory(root.resolve("repos"));
        bare = repository(repos.resolve("acme/app.git"));
        github = new FakeApp(repos, InstantSource.system());
        github.installed.add("acme/app");
        sallyport = Installation.bare(root.resolve("i"));
        Files.writeString(sallyport.home().resolve("ca.pem"), github.pki.caPem());
        Path key = root.resolve("key.txt");
        Files.write(key, new X25519KeyPairGenerator().generateKeyPair().getPrivate().getEncoded());
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        sallyport.policy(github.policyEntry("ca.pem") + "secrets: {key-file: \"" + key + "\"}\n");
    }

    @AfterEach
    void stop() {
        sallyport.close();
        github.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private Path repository(Path made) throws IOException {
        Path work = Files.createDirectory(root.resolve("work"));
        GitServer.git(root, "init", "-q", "-b", "main", "--bare", made.toString());
        GitServer.git(made, "config", "http.receivepack", "true");
        GitServer.git(work, "init", "-q", "-b", "main");
        GitServer.git(work, "commit", "-q", "--allow-empty", "-m", "first");
        GitServer.git(work, "push", "-q", made.toString(), "main");
        return made;
    }

    private Command.Result setKey(String pem) {
        return sallyport
                .sallyport(
                        "secret",
                        "set",
                        "corp",
                        "--host",
                        FakeApp.HOST,
                        "--kind",
                        "github-app",
                        "--app",
                        FakeApp.ID)
                .input(pem)
                .run();
    }

    private static void until(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            LockSupport.parkNanos(20_000_000);
        }
    }

    private Command.Result inBox(String script) {
        return sallyport.sallyport("exec", "box", "--", "bash", "-uc", script).run();
    }

    private void makeBox() {
        sallyport
                .sallyport("new", "--name", "box", "--runtime", "bubblewrap", "--repo", REPO)
                .run()
                .ok();
    }

    /// Whether `verify` says that a secret is inside, when a process there has this variable.
    private boolean foundInside(String variable) {
        Process inside =
                sallyport
                        .sallyport(
                                "exec",
                                "box",
                                "--",
                                "env",
                                variable,
                                "bash",
                                "-c",
                                "touch started; sleep 600")
                        .start();
        Path marker = sallyport.workspace().resolve("started");
        try {
            until("it runs", () -> Files.exists(marker));
            return sallyport
                    .sallyport("verify", "box")
                    .run()
                    .out()
                    .lines()
                    .anyMatch(said -> said.contains("FAIL") && said.contains("corp"));
        } finally {
            inside.destroy();
            marker.toFile().delete();
        }
    }

    private long gateway() throws IOException {
        String status = sallyport.sallyport("status", "--json").run().ok();
        return new ObjectMapper().readTree(status).get("gatewayPid").asLong();
    }

    @Test
    void clonesAndPushesWithTokensThatEndWithTheSandbox() throws Exception {
        // The one by which the key is looked for: in the middle of its text, which begins on line
        // 1.
        String line = github.keyPem().split("\n", -1)[13];
        try (ProcessWatch watch = ProcessWatch.start(List.of(line))) {
            assertThat(setKey(github.keyPem()).ok()).contains("GitHub App " + FakeApp.ID);
            makeBox();
            Command.Result pushed =
                    inBox(
                            """
                            cd $(mktemp -d) && git clone -q https://%s . &&
                            git -c user.name=A -c user.email=a@test.example commit -q --allow-empty -m second &&
                            git push -q origin HEAD:agent/fix && echo pushed
                            ! git push -q origin HEAD:main
                            env; cat /proc/*/environ | tr '\\0' '\\n'
                            """
                                    .formatted(REPO));
            assertThat(pushed.out()).startsWith("pushed\n").doesNotContain("ghs_123456_", line);
            assertThat(watch.looks()).as("it looked").isPositive();
            assertThat(watch.findings()).isEmpty();
        }
        assertThat(GitServer.git(bare, "log", "--format=%s", "agent/fix"))
                .isEqualTo("second\nfirst");
        assertThat(github.minted).hasSize(2).allMatch(t -> t.names().contains("app"));

        assertThat(sallyport.home().resolve("secrets/corp.age")).exists();
        assertThat(filesWith(line)).isEmpty();
        assertThat(filesWith("ghs_123456_")).isEmpty();
        String token = github.minted.getFirst().value();
        assertThat(ProcessMemory.contains(gateway(), token))
                .as("positive control: it has the token")
                .isTrue();
        assertThat(ProcessMemory.contains(gateway(), line)).as("and not the key").isFalse();
        assertThat(sallyport.sallyport("verify", "box").run().out())
                .contains("values of the 1 secrets")
                .doesNotContain("FAIL");
        assertThat(sallyport.sallyport("secret", "list").run().ok()).contains("github-app");
        assertThat(sallyport.sallyport("show", "box").run().ok())
                .contains("corp (github-app)", "GitHub App " + FakeApp.ID);

        assertThat(foundInside("X=" + token)).as("verify looks for tokens").isTrue();
        assertThat(foundInside("X=" + line)).as("and for the key").isTrue();

        sallyport.killGateway();
        assertThat(inBox("git ls-remote https://" + REPO + " main").ok()).contains("main");
        assertThat(github.minted).as("the next gateway gets the same").hasSize(2);

        sallyport.sallyport("destroy", "box").run().ok();
        until("given back", () -> github.live().isEmpty());
        assertThat(github.revoked).hasSize(2);
        assertThat(sallyport.sallyport("audit", "show", "--json").run().ok())
                .contains("secret.mint", "secret.revoke")
                .doesNotContain("ghs_");
    }

    @Test
    void withoutATokenNothingIsAskedOfGitAndThePersonIsToldWhy() {
        github.installed.clear();
        setKey(github.keyPem()).ok();
        makeBox();
        Command.Result refused = inBox("git clone -q https://" + REPO + " x");
        assertThat(refused.exit()).isNotZero();
        assertThat(refused.err()).contains("sallyport show NAME");
        assertThat(github.backend.seen()).isEmpty();
        assertThat(sallyport.sallyport("list").run().err())
                .contains("not installed for acme/app", "Install it there");

        github.installed.add("acme/app");
        until(
                "it is tried again",
                () -> inBox("rm -rf x; git clone -q https://" + REPO + " x").exit() == 0);
        assertThat(sallyport.sallyport("list").run().err()).doesNotContain("not installed");
        sallyport.sallyport("down").run().ok();
        assertThat(github.live()).as("given back when the daemon ends").isEmpty();
    }

    @Test
    void aKeyThatIsNoneIsRefusedAtOnce() {
        assertThat(setKey("hello\n").err()).contains("no private key", "downloaded");
        assertThat(setKey(FakeApp.pem("PRIVATE KEY", new byte[] {1, 2, 3})).err())
                .contains("damaged");
        assertThat(setKey(github.keyPem().replace("PRIVATE", "PUBLIC")).exit()).isNotZero();
        assertThat(sallyport.sallyport("secret", "list").run().out()).contains("No secrets");
    }

    private List<String> filesWith(String text) {
        return Command.of(
                        "grep",
                        "-raFl",
                        text,
                        sallyport.home().toString(),
                        sallyport.workspace().toString())
                .run()
                .out()
                .lines()
                .toList();
    }
}
