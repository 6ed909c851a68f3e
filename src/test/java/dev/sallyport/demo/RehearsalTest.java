package dev.sallyport.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.cli.Sallyport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Training forgives everything, so nobody would see that a gateway serves nothing in it.
class RehearsalTest {
    @TempDir Path directory;

    @Test
    void aGatewayInTrainingAnswersEveryRequestAndEndsWithItsWarden() throws Exception {
        Process gateway;
        try (Rehearsal rehearsal = Rehearsal.open(directory)) {
            gateway = new ProcessBuilder(gateway()).inheritIO().start();
            int answered = rehearsal.play(gateway.pid(), 1, Duration.ofMinutes(5));
            assertThat(answered).isEqualTo(RehearsalGuest.REQUESTS);
        }
        assertThat(gateway.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(gateway.exitValue()).isZero();
    }

    @Test
    void e18NobodyAsksItOnTheMachinesOwnLoopback() throws Exception {
        assertThat(Rehearsal.guests()).isZero();
        Process gateway;
        try (Rehearsal rehearsal = Rehearsal.open(directory)) {
            gateway = new ProcessBuilder(gateway()).inheritIO().start();
            assertThat(rehearsal.play(gateway.pid(), 0, Duration.ofMinutes(5))).isZero();
        }
        assertThat(gateway.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }

    private List<String> gateway() {
        return List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path", ""),
                Sallyport.class.getName(),
                "internal-train-gateway",
                directory.toString());
    }
}
