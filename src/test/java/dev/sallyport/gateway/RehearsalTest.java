package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.demo.Git;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the class cache of a gateway is made from.
final class RehearsalTest {
    @TempDir Path directory;

    @Test
    void aRehearsedGatewayServesRequestsClonesAndPushes() throws Exception {
        assertThat(Rehearsal.run(directory)).isTrue();
        try (Stream<Path> all = Files.list(directory)) {
            Path world =
                    all.filter(p -> p.getFileName().toString().startsWith("world"))
                            .findAny()
                            .orElseThrow();
            assertThat(
                            Git.run(
                                    world.resolve("served/acme/app.git"),
                                    "for-each-ref",
                                    "--format=%(refname)"))
                    .contains("refs/heads/agent/part3");
        }
    }

    /// The class cache then knows how a gateway starts, as far as it came.
    @Test
    void itEndsWithoutADirectoryToWriteTo() {
        assertThat(Rehearsal.run(directory.resolve("missing"))).isFalse();
    }
}
