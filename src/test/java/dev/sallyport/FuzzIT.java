package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Published;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// G8, G12: each hostile parser against the inputs that were kept and, for a moment, against new
/// ones, which are the same each time. `bench/fuzz` takes longer and goes elsewhere. Each has a
/// process of its own, because the fuzzer rewrites classes as they are loaded.
final class FuzzIT {
    private static final int RUNS = 50_000;
    private static final Pattern OF_TESTS =
            Pattern.compile(".*/(test-classes|jazzer|junit|assertj|opentest4j|byte-buddy)[^/]*");

    /// In the program's jar its libraries are one file, which is opened sooner than a hundred.
    private static final String CLASS_PATH =
            Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                            .filter(entry -> OF_TESTS.matcher(entry).matches())
                            .collect(Collectors.joining(File.pathSeparator))
                    + File.pathSeparator
                    + Published.jar();

    private static final Pattern KEPT = Pattern.compile("seed corpus: files: (\\d+)");
    private static final Pattern DONE = Pattern.compile("Done (\\d+) runs");

    static List<String> targets() throws IOException {
        Path root =
                Path.of(URI.create(FuzzIT.class.getResource("FuzzIT.class").toString()))
                        .getParent();
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(file -> root.relativize(file).toString().replace('/', '.'))
                    .filter(name -> name.endsWith("Fuzz.class"))
                    .map(name -> "dev.sallyport." + name.substring(0, name.length() - 6))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("targets")
    void g8_g12_holdsItsInvariants(String target, @TempDir Path directory) {
        Command.Result result =
                Command.of(
                                System.getProperty("java.home") + "/bin/java",
                                "-Xmx256m",
                                "--enable-native-access=ALL-UNNAMED",
                                "-XX:+EnableDynamicAgentLoading",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                CLASS_PATH,
                                "com.code_intelligence.jazzer.Jazzer",
                                "--target_class=" + target,
                                "--instrumentation_includes=dev.sallyport.**",
                                "--hooks=false",
                                "-seed=1",
                                "-runs=" + RUNS)
                        .without("JAVA_TOOL_OPTIONS")
                        .in(directory)
                        .within(Duration.ofMinutes(5))
                        .run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(number(KEPT, result.all())).as("inputs kept").isPositive();
        assertThat(number(DONE, result.all())).as("inputs tried").isGreaterThanOrEqualTo(RUNS);
    }

    private static int number(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).as("%s in %s", pattern, text).isTrue();
        return Integer.parseInt(matcher.group(1));
    }
}
