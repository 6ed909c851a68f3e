package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.OrdinaryUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// PostgreSQL does not run as root, and an ordinary user's sockets are opened by another porter.
class PostgresAsOrdinaryUserIT {
    @Test
    void aDatabaseInsideIsPublishedAndOneOutsideIsReached() throws IOException {
        try (OrdinaryUser user = OrdinaryUser.create()) {
            Files.createSymbolicLink(
                    user.home().resolve("sallyport"), Path.of("sallyport").toAbsolutePath());
            user.runTests(PostgresPorts.class);
            assertThat(user.processes()).isEmpty();
        }
    }
}
