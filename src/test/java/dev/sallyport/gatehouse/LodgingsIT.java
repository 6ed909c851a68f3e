package dev.sallyport.gatehouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Directories of root's, so root makes them.
class LodgingsIT {
    /// As directories of companies give them out.
    private static final int LARGE = 1_234_567_890;

    @TempDir Path directory;
    private Lodgings lodgings;

    @BeforeEach
    void prepare() throws IOException {
        lodgings = new Lodgings(directory.resolve("service"));
        lodgings.prepare();
    }

    @Test
    void everyAccountHasANumberOfItsOwnAndKeepsIt() throws IOException {
        Set<Integer> numbers =
                Stream.of(1000, 1001, LARGE, LARGE + 1, 0)
                        .map(this::number)
                        .collect(Collectors.toSet());
        assertThat(numbers)
                .hasSize(5)
                .allMatch(n -> n >= Lodgings.NUMBER_MIN && n <= Lodgings.NUMBER_MAX);
        assertThat(number(LARGE)).isEqualTo(number(LARGE));
        assertThat(lodgings.known()).containsExactlyInAnyOrder(1000, 1001, LARGE, LARGE + 1, 0);
    }

    private int number(int uid) {
        try {
            return lodgings.of(uid).number();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void othersPassThroughAndListNothing() throws IOException {
        Path own = lodgings.of(1000).home().lodging().orElseThrow();
        for (Path passed : new Path[] {directory.resolve("service/users"), own}) {
            assertThat(Files.getPosixFilePermissions(passed))
                    .isEqualTo(PosixFilePermissions.fromString("rwx--x--x"));
        }
        assertThat(Files.getPosixFilePermissions(own.resolve("home")))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    }

    /// Whose numbers are taken must be known before another is given.
    @Test
    void whatIsNoAccountsStopsTheGivingOfNumbers() throws IOException {
        Files.createDirectory(directory.resolve("service/users/99999999999"));
        assertThatThrownBy(() -> lodgings.of(1000)).isInstanceOf(ConfigException.class);
    }
}
