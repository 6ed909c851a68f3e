package dev.sallyport.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/// Waits for something that happens on another thread, within a generous limit.
final class Await {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private Await() {}

    static void until(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("what was waited for").isLessThan(deadline);
            Thread.sleep(5);
        }
    }
}
