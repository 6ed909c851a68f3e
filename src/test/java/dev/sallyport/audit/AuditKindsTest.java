package dev.sallyport.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Every kind of event is described, and every kind that is described is written.
class AuditKindsTest {
    private static final String KIND =
            "((?:api|audit|dns|egress|fleet|gateway|git|http|page|project|secret|session|warden)\\.[a-z]+(?:-[a-z]+)*)";

    /// Names of files look alike, and so does the gateway's own name.
    private static final Pattern FILE =
            Pattern.compile(
                    ".*\\.(aot|css|html|js|jsonl|head|key|reserve|lock|pid|log|sock|sallyport)");

    /// Whose packages name limits and files, not events.
    private static final Pattern OTHERS =
            Pattern.compile(".*/sallyport/(config|cli|demo|story)/.*");

    @Test
    void theDocumentAndTheCodeNameTheSameKinds() throws IOException {
        NavigableSet<String> written = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!OTHERS.matcher(file.toString()).matches()) {
                    written.addAll(kinds('"' + KIND + '"', file));
                }
            }
        }
        assertThat(written)
                .as("positive control")
                .contains(
                        "session.create",
                        "git.request",
                        "egress.connect",
                        "fleet.listen",
                        "project.trust",
                        "warden.start");

        assertThat(kinds("`" + KIND + "`", Path.of("docs/protocol/audit-record.md")))
                .isEqualTo(written);
    }

    private static NavigableSet<String> kinds(String regex, Path file) throws IOException {
        NavigableSet<String> kinds = new TreeSet<>();
        Pattern.compile(regex)
                .matcher(Files.readString(file))
                .results()
                .map(found -> found.group(1))
                .filter(kind -> !FILE.matcher(kind).matches())
                .forEach(kinds::add);
        return kinds;
    }
}
