package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A document that names a test which is not there claims what nothing shows.
class DocumentedTestsTest {
    /// `SomeTest`, `SomeIT.method`, or `SomeTest.begin…` for methods that begin so.
    private static final Pattern NAME =
            Pattern.compile("`([A-Z]\\w*(?:Test|IT))(?:\\.(\\w+)(…?)|\\.…)?`");

    private static final Pattern METHOD = Pattern.compile("\\bvoid (\\w+)\\(");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "THREAT_MODEL.md",
                "ARCHITECTURE.md",
                "docs/promises.md",
                "docs/attacks.md",
                "docs/hardening.md",
                "docs/protocol/git-requests.md"
            })
    void everyTestThatADocumentNamesIsThere(String document) throws IOException {
        Map<String, String> sources = sources();
        List<String> named = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        Matcher matcher = NAME.matcher(Files.readString(Path.of(document)));
        while (matcher.find()) {
            named.add(matcher.group());
            Optional<String> method = Optional.ofNullable(matcher.group(2));
            boolean exact = !"…".equals(matcher.group(3));
            String source = sources.getOrDefault(matcher.group(1), "");
            if (source.isEmpty() || method.stream().anyMatch(m -> !has(source, m, exact))) {
                missing.add(matcher.group());
            }
        }
        assertThat(named).as("the document names tests").hasSizeGreaterThan(10);
        assertThat(missing).isEmpty();
    }

    private static boolean has(String source, String method, boolean exact) {
        return METHOD.matcher(source)
                .results()
                .map(found -> found.group(1))
                .anyMatch(name -> exact ? name.equals(method) : name.startsWith(method));
    }

    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new HashMap<>();
        try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                String name = file.getFileName().toString().replace(".java", "");
                sources.merge(name, Files.readString(file), String::concat);
            }
        }
        return sources;
    }
}
