package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.OrdinaryUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// Gateway and person have the same number, and all files lie in the person's home.
class CloneAsOrdinaryUserIT {
    @Test
    void theSameHoldsForAnOrdinaryUser() throws IOException {
        try (OrdinaryUser user = OrdinaryUser.create()) {
            Files.createSymbolicLink(
                    user.home().resolve("sallyport"), Path.of("sallyport").toAbsolutePath());
            user.runTests(CloneIT.class);
            assertThat(user.processes()).isEmpty();
        }
    }
}
