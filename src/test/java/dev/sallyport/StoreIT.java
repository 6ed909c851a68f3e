package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two daemons whose sessions are in one PostgreSQL database.
class StoreIT {
    private static final String HEALTH = "curl -sf -m 60 http://gateway.sallyport/healthz";

    @TempDir Path directory;
    private PostgresServer server;
    private Installation first;
    private Installation second;

    @BeforeEach
    void begin() throws IOException {
        server = PostgresServer.start(directory);
        first = installation("first");
        second = installation("second");
    }

    @AfterEach
    void end() throws IOException {
        first.close();
        second.close();
        server.close();
    }

    private Installation installation(String name) {
        Installation made = Installation.bare(directory.resolve(name));
        made.policy(
                "store: {url: \"postgresql://%s@127.0.0.1:%d/postgres\", password-file: \"%s\"}\n"
                        .formatted(PostgresServer.USER, server.port(), server.passwordFile()));
        return made;
    }

    private static Command.Result create(Installation at, String name) {
        return at.sallyport("new", "--name", name, "--runtime", "bubblewrap", "--no-repo").run();
    }

    private static Command.Result inside(Installation at, String script) {
        return at.sallyport("exec", "harbour", "--", "sh", "-c", script).run();
    }

    @Test
    void aSandboxOutlivesItsDaemonAndItsDatabase() throws Exception {
        create(first, "harbour").ok();
        String id = server.ask("SELECT id FROM session");
        assertThat(inside(first, HEALTH).exit()).isZero();
        requireOutOfReach(second);
        assertThat(create(second, "harbour").all()).contains("already a sandbox named harbour");
        assertThat(first.home().resolve("state.db")).doesNotExist();

        server.down();
        Command.Result away = first.sallyport("show", "harbour").run();
        assertThat(away.exit()).isNotZero();
        assertThat(away.all())
                .contains("does not answer", "Check that the database runs")
                .doesNotContain(PostgresServer.PASSWORD);
        assertThat(first.sallyport("status").run().ok()).contains("trouble", "does not answer");
        assertThat(first.sallyport("down").run().all()).contains("does not answer");
        first.sallyport("down", "--keep-sandboxes").run().ok();
        assertThat(first.sallyport("up").run().all()).contains("does not answer");
        assertThat(first.sallyport("audit", "verify").run().exit()).isNotZero();

        server.up();
        Await.until("it is back", () -> inside(first, HEALTH).exit() == 0);
        assertThat(server.ask("SELECT id FROM session")).isEqualTo(id);
        assertThat(first.sallyport("audit", "verify").run().ok()).contains("the chain holds");

        first.sallyport("down", "--keep-sandboxes").run().ok();
        String policy = Files.readString(first.home().resolve("policy.yaml"));
        first.policy("");
        assertThat(first.sallyport("list").run().all()).contains("names no store any more");
        assertThat(server.ask("SELECT state FROM session")).isEqualTo("RUNNING");
        first.policy(policy);
        first.sallyport("destroy", "harbour").run().ok();
        assertThat(server.ask("SELECT count(*) FROM session")).isEqualTo("0");
    }

    /// The other gateway has it: it can be seen, and nothing can be done to it.
    private void requireOutOfReach(Installation other) throws Exception {
        String owner = server.ask("SELECT gateway FROM session_lease");
        assertThat(first.sallyport("list").run().ok())
                .contains("harbour")
                .doesNotContain("GATEWAY");
        assertThat(other.sallyport("list").run().ok())
                .containsPattern("harbour .* id " + owner.substring(0, 12));
        assertThat(other.sallyport("show", "harbour").run().ok())
                .contains("run commands for this sandbox there");
        for (String command : new String[] {"stop", "end", "destroy"}) {
            Command.Result refused = other.sallyport(command, "harbour").run();
            assertThat(refused.exit()).isEqualTo(73);
            assertThat(refused.err()).contains("Another gateway has", owner, "Run this");
        }
        Command.Result refused = other.sallyport("allow", "harbour", "a.example").run();
        assertThat(refused.err()).contains("Another gateway has", owner);
        assertThat(server.ask("SELECT state FROM session")).isEqualTo("RUNNING");
        assertThat(inside(first, HEALTH).exit()).isZero();
    }

    @Test
    void whatAnotherGatewayHasTakenIsServedNoMore() throws Exception {
        create(first, "harbour").ok();
        String owner = server.ask("SELECT gateway FROM session_lease");
        Path workspace = first.workspace();
        String script = HEALTH + " > before; touch asked; while " + HEALTH + "; do sleep 0.2; done";
        Process inside =
                first.sallyport("exec", "harbour", "--", "sh", "-c", script + "; touch refused")
                        .start();
        try {
            Await.until("it is served", () -> Files.exists(workspace.resolve("asked")));
            assertThat(workspace.resolve("before")).isNotEmptyFile();
            assertThat(workspace.resolve("refused")).doesNotExist();
            server.execute(
                    "UPDATE session_lease SET gateway = 'other', epoch = epoch + 1;"
                            + "UPDATE session SET gateway = 'other', epoch = epoch + 1");
            Await.until("it is refused", () -> Files.exists(workspace.resolve("refused")));
        } finally {
            inside.destroy();
            inside.onExit().join();
        }
        assertThat(first.sallyport("list").run().ok()).containsPattern("harbour .* id other");
        assertThat(Files.readString(first.home().resolve("audit/audit.jsonl")))
                .contains("attached to another gateway");

        first.sallyport("down", "--keep-sandboxes").run().ok();
        server.execute("UPDATE session_lease SET gateway = '" + owner + "'");
        assertThat(inside(first, HEALTH).exit()).as("it was given back").isZero();
        first.sallyport("destroy", "harbour").run().ok();
    }
}
