package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForeignTreeTest {
    @TempDir Path directory;

    /// Two sandboxes of one project share a home: one starts while the other works in it.
    @Test
    void whatDisappearsWhileItIsMeasuredDoesNotKeepItFromBeingMeasured() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Thread busy = Thread.ofPlatform().start(() -> churn(over));
        try {
            for (int i = 0; i < 20; i++) {
                assertThat(new ForeignTree(directory).size().whole()).isTrue();
            }
        } finally {
            over.set(true);
            busy.join();
        }
    }

    private void churn(AtomicBoolean over) {
        while (!over.get()) {
            try {
                for (int i = 0; i < 300; i++) {
                    Files.createDirectories(directory.resolve("d" + i + "/e"));
                }
                for (int i = 0; i < 300; i++) {
                    Files.delete(directory.resolve("d" + i + "/e"));
                    Files.delete(directory.resolve("d" + i));
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }
}
