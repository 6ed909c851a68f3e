package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GatewayCommandsTest {
    private static final String ID = "0123456789abcdef";
    private static final String FLEET =
            """
            {"listen":null,"reachedAt":null,"gateways":[],"wanted":":8443","hosts":[],
             "codes":[{"id":"%s","host":"build1","expires":"2026-01-01T00:00:00Z"}],
             "authority":null}
            """
                    .formatted(ID);

    @TempDir Path directory;

    private FakeWarden warden;
    private Shell shell;

    @BeforeEach
    void start() throws IOException {
        warden =
                FakeWarden.start(directory)
                        .answer("GET /v1/fleet", 200, FLEET)
                        .answer("DELETE /v1/fleet/codes/" + ID, 200, "{}");
        shell = new Shell(warden.home(), directory);
    }

    @AfterEach
    void stop() throws IOException {
        warden.close();
    }

    @Test
    void showsOpenCodesAndAPortThatCouldNotBeOpened() {
        assertThat(shell.run("", "gateway")).isZero();
        assertThat(shell.out()).contains(ID, "build1", "2026-01-01", ":8443 could not be opened");
    }

    @Test
    void takesACodeBack() {
        assertThat(shell.run("", "gateway", "code", "--remove", ID, "--json")).isZero();
        assertThat(shell.out()).contains("\"removed\"", ID);
        assertThat(warden.asked()).contains("DELETE /v1/fleet/codes/" + ID);
    }

    @Test
    void aCodeIsPrintedOrTakenBackAndNeverBoth() {
        for (String[] wrong :
                new String[][] {
                    {"gateway", "code"},
                    {"gateway", "code", "build1", "--remove", ID},
                    {"gateway", "code", "--remove", ID, "--valid", "5m"},
                    {"gateway", "code", "--remove", ID, "--address", "a:1"},
                }) {
            assertThat(shell.run("", wrong)).as(String.join(" ", wrong)).isEqualTo(64);
        }
        assertThat(warden.asked()).noneMatch(asked -> asked.contains("/v1/fleet/codes"));
    }
}
