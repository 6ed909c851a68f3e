package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandLinesTest {
    @TempDir Path process;

    @Test
    void wordsAreSeparatedAsTheKernelDoes() throws IOException {
        Files.writeString(process.resolve("cmdline"), "sleep\0" + "60\0");
        assertThat(CommandLines.of(process)).containsExactly("sleep", "60", "");
    }

    /// With `PR_SET_MM_MAP` any process can say that its own has gigabytes.
    @Test
    void oneThatIsLongerThanMemoryIsNotRead() throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(process.resolve("cmdline").toFile(), "rw")) {
            file.setLength(1L << 40);
        }
        assertThat(CommandLines.of(process)).isEmpty();
    }
}
