package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobTest {
    /// A process can say, with `prctl`, that gigabytes are its environment.
    @Test
    void noMoreThanABoundIsReadOfAnEnvironment(@TempDir Path process) throws Exception {
        try (var environ = new RandomAccessFile(process.resolve("environ").toFile(), "rw")) {
            environ.setLength(4L << 30);
        }
        assertThat(Job.environment(process)).hasSize(Job.ENVIRONMENT_BYTES_MAX);
    }
}
