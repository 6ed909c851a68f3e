package dev.sallyport.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Watches the gateway's Java heap through `jcmd`, twice a second, from a collected start.
final class GatewayMemory implements AutoCloseable {
    private static final Pattern USED =
            Pattern.compile("total (?:reserved )?\\d+K,.*?used (\\d+)K");

    private final long pid;
    private final long start;
    private final AtomicLong peak = new AtomicLong();
    private final Thread sampler;
    private volatile boolean done;

    GatewayMemory(Installation installation) throws IOException {
        String status = installation.sallyport("status", "--json").run().ok();
        this.pid = new ObjectMapper().readTree(status).get("gatewayPid").asLong();
        jcmd("GC.run");
        this.start = used();
        this.sampler = Thread.ofPlatform().daemon().start(this::sample);
    }

    private void sample() {
        while (!done) {
            peak.accumulateAndGet(used(), Math::max);
            LockSupport.parkNanos(500_000_000);
        }
    }

    private long used() {
        Matcher matcher = USED.matcher(jcmd("GC.heap_info"));
        if (!matcher.find()) {
            throw new AssertionError("jcmd GC.heap_info has another format than expected");
        }
        long bytes = Long.parseLong(matcher.group(1)) << 10;
        while (matcher.find()) {
            bytes += Long.parseLong(matcher.group(1)) << 10;
        }
        return bytes;
    }

    private String jcmd(String command) {
        Path tool = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        return Command.of(tool.toString(), Long.toString(pid), command).run().ok();
    }

    /// Highest heap use seen since the start, less the use at the start; garbage included.
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
