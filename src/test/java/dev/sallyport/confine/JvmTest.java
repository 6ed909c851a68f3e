package dev.sallyport.confine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class JvmTest {
    private static final String[] WITHOUT_TRACES = {
        "-XX:-HeapDumpOnOutOfMemoryError",
        "-XX:-CreateCoredumpOnCrash",
        "-XX:ErrorFile=/dev/null",
        "-XX:+DisableAttachMechanism"
    };

    @TempDir Path directory;

    @ParameterizedTest
    @EnumSource
    void noProcessOfOursWritesItsMemoryToDisk(Jvm role) {
        assertThat(command(role, Optional.empty())).contains(WITHOUT_TRACES);
    }

    @ParameterizedTest
    @EnumSource
    void theMemoryOfEachIsBounded(Jvm role) {
        assertThat(role.options()).anyMatch(option -> option.startsWith("-Xmx"));
    }

    /// The JVM of this test takes them all; it would not start with one that it does not know.
    @ParameterizedTest
    @EnumSource
    void theJvmKnowsTheOptions(Jvm role) {
        List<String> command = command(role, Optional.empty());
        List<String> options = command.subList(0, command.indexOf("-cp"));
        assertThat(Command.of(join(options, "-version")).run().err()).contains("25");
    }

    private static List<String> join(List<String> words, String last) {
        return java.util.stream.Stream.concat(words.stream(), java.util.stream.Stream.of(last))
                .toList();
    }

    /// The sidecar of a pod is started by its cluster.
    @Test
    void theLauncherStartsThePodsSidecarAsSmallAsAnyOther() throws IOException {
        List<String> common = Jvm.COMMAND.options();
        List<String> own =
                Jvm.SIDECAR.options().stream()
                        .filter(
                                option ->
                                        common.indexOf(option)
                                                != Jvm.SIDECAR.options().indexOf(option))
                        .toList();
        String launcher = Files.readString(Path.of("build/launch.sh"));
        assertThat(own).contains("-Xmx40m");
        assertThat(launcher.replaceAll("\\s+", " ")).contains(String.join(" ", own));
    }

    /// It starts the command that reads a secret.
    @Test
    void theLauncherStartsACommandWithTheSameOptions() throws IOException {
        String launcher = Files.readString(Path.of("build/launch.sh"));
        assertThat(launcher.replaceAll("\\s+", " "))
                .contains(String.join(" ", Jvm.COMMAND.options()))
                .contains(Jvm.ARENAS + "=" + Jvm.ARENAS_MAX);
        assertThat(launcher).contains("\nulimit -c 0\n");
    }

    @Test
    void aCacheBesideTheJarIsUsed() throws IOException {
        Path cache = cache("rw-r--r--");
        assertThat(command(Jvm.WARDEN, found())).contains("-XX:AOTCache=" + cache);
        assertThat(command(Jvm.GATEWAY, Jvm.GATEWAY.cache(directory.resolve("a.jar"))))
                .noneMatch(option -> option.contains("AOTCache"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-rw-r--", "rw-r--rw-", "rwxrwxrwx"})
    void aCacheThatOthersCanWriteToIsNot(String mode) throws IOException {
        cache(mode);
        assertThat(found()).isEmpty();
    }

    @Test
    void aLinkIsNoCache() throws IOException {
        Path elsewhere = Files.writeString(directory.resolve("elsewhere"), "classes");
        Files.createSymbolicLink(directory.resolve(Jvm.WARDEN.cacheName()), elsewhere);
        assertThat(found()).isEmpty();
    }

    private Optional<Path> found() {
        return Jvm.WARDEN.cache(directory.resolve("a.jar"));
    }

    private Path cache(String mode) throws IOException {
        Path cache = Files.writeString(directory.resolve(Jvm.WARDEN.cacheName()), "classes");
        return Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString(mode));
    }

    private static List<String> command(Jvm role, Optional<Path> cache) {
        return role.command(Jvm.ownHome(), "a.jar", cache, List.of(), "internal-x");
    }
}
