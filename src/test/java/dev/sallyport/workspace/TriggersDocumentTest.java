package dev.sallyport.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TriggersDocumentTest {
    @Test
    void everyWatchedFileIsInTheDocument() throws IOException {
        String document = Files.readString(Path.of("docs/mounts.md"));
        assertThat(
                        Stream.of(
                                        TriggerNames.OPENS,
                                        TriggerNames.OPENED_DIRECTORIES,
                                        TriggerNames.OPENED_PATHS,
                                        TriggerNames.BUILDS,
                                        TriggerNames.BUILD_DIRECTORIES)
                                .flatMap(Set::stream))
                .allMatch(name -> document.contains("`" + name + "`"));
    }
}
