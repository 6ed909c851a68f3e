package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.DevServer;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// Run by [PostgresAsOrdinaryUserIT].
class PostgresPorts {
    private static final String SELECT = "select 'answer ' || 6 * 7";

    @Test
    void insideAndOutside() throws IOException {
        Path root = Files.createTempDirectory(Path.of(System.getenv("HOME")), "pg");
        int outside = DevServer.freePort();
        int published = DevServer.freePort();
        Process database = database(root.resolve("outside"), outside);
        try (Installation sallyport = Installation.bare(root.resolve("i"))) {
            sallyport.policy(
                    """
                    egress:
                      - tcp: db.ports.example:5432
                        dial: "127.0.0.1:%d"
                    """
                            .formatted(outside));
            PortsRig rig = new PortsRig(sallyport, "bubblewrap");
            rig.create("pg", "--publish", published + ":5432");
            Await.until("the database answers", () -> ask("127.0.0.1", outside).exit() == 0);

            assertThat(rig.sh("pg", psql("db.ports.example", 5432)).ok()).isEqualTo("answer 42");

            rig.sh("pg", initialise("data") + " >/dev/null").ok();
            rig.exec("pg", DevServer.lasting(server("data", 5432))).ok();
            Await.until("it answers", () -> ask("127.0.0.1", published).exit() == 0);
            assertThat(ask("127.0.0.1", published).ok()).isEqualTo("answer 42");
            assertThat(ask("::1", published).ok()).isEqualTo("answer 42");
            assertThat(rig.sh("pg", psql("db.ports.example", 5432)).ok()).isEqualTo("answer 42");
            assertThat(rig.audit())
                    .containsPattern("egress.connect .*host=db.ports.example .*port=5432")
                    .containsPattern("port.used .*host-port=" + published);
        } finally {
            database.destroy();
            database.onExit().join();
        }
    }

    private static String psql(String host, int port) {
        return "psql -X -A -t -h %s -p %d -U agent -d postgres -c \"%s\""
                .formatted(host, port, SELECT);
    }

    private static Command.Result ask(String host, int port) {
        return Command.of("bash", "-c", psql(host, port)).run();
    }

    private static String initialise(String directory) throws IOException {
        return PostgresServer.programs() + "/initdb -A trust -U agent -D " + directory;
    }

    private static String server(String directory, int port) throws IOException {
        return PostgresServer.programs()
                + "/postgres -D "
                + directory
                + " -p "
                + port
                + " -c unix_socket_directories= -c listen_addresses=127.0.0.1";
    }

    private static Process database(Path directory, int port) throws IOException {
        Command.of("bash", "-c", initialise(directory.toString())).run().ok();
        return new ProcessBuilder("bash", "-c", "exec " + server(directory.toString(), port))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
