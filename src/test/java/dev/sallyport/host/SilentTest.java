package dev.sallyport.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// How long somebody counts as silent, and what is kept of it.
class SilentTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
    private final Silent silent = new Silent(nanos::get);

    @Test
    void forgetsWhoeverWasSilentLongAgo() {
        silent.add("10.0.0.1:443");
        nanos.addAndGet(Silent.FOR.toNanos() - 1);
        assertThat(silent.contains("10.0.0.1:443")).isTrue();
        nanos.addAndGet(1);
        assertThat(silent.contains("10.0.0.1:443")).isFalse();
        silent.add("10.0.0.2:443");
        assertThat(silent.since()).containsOnlyKeys("10.0.0.2:443");
        silent.remove("10.0.0.2:443");
        assertThat(silent.contains("10.0.0.2:443")).isFalse();
    }
}
