package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TriggersDocumentTest {
    @Test
    void everyWatchedFileIsInTheDocument() throws IOException {
        String document = Files.readString(Path.of("docs/mounts.md"));
        assertThat(TriggerFiles.WATCHED).allMatch(name -> document.contains("`" + name + "`"));
    }
}
