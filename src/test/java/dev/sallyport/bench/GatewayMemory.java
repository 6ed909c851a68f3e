package dev.sallyport.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// Watches the gateway's anonymous memory from outside, ten times a second: Java heap, buffers
/// outside the heap, stacks and compiled code together. It is an upper bound of the growth of the
/// heap. The gateway itself refuses to be attached to.
final class GatewayMemory implements AutoCloseable {
    private final Path status;
    private final long start;
    private final AtomicLong peak = new AtomicLong();
    private final Thread sampler;
    private volatile boolean done;

    GatewayMemory(Installation installation) throws IOException {
        String answer = installation.sallyport("status", "--json").run().ok();
        this.status =
                Path.of(
                        "/proc",
                        new ObjectMapper().readTree(answer).get("gatewayPid").asText(),
                        "status");
        this.start = used();
        this.sampler = Thread.ofPlatform().daemon().start(this::sample);
    }

    private void sample() {
        while (!done) {
            peak.accumulateAndGet(used(), Math::max);
            LockSupport.parkNanos(100_000_000);
        }
    }

    private long used() {
        try {
            return Files.readAllLines(status).stream()
                    .filter(line -> line.startsWith("RssAnon:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new AssertionError("the gateway died", e);
        }
    }

    /// Highest use seen since the start, less the use at the start.
    long growthBytes() {
        return Math.max(0, peak.get() - start);
    }

    @Override
    public void close() {
        done = true;
        try {
            sampler.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
