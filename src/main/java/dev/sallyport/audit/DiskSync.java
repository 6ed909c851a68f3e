package dev.sallyport.audit;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Tells the disk once a second to keep what was written. When the disk cannot, appends are refused
/// until it can: a kernel that failed to write may already have dropped the data.
final class DiskSync implements AutoCloseable {
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final Duration CLOSE_MAX = Duration.ofSeconds(30);

    /// What is done each time.
    interface Step {
        void run() throws IOException;
    }

    private final Step step;
    private final Thread thread;
    private volatile @Nullable IOException failure;
    private final CountDownLatch stopped = new CountDownLatch(1);

    DiskSync(Step step) {
        this.step = step;
        this.thread = Thread.ofPlatform().daemon().name("audit-sync").unstarted(this::loop);
    }

    void start() {
        thread.start();
    }

    void requireHealthy() throws IOException {
        IOException seen = failure;
        if (seen != null) {
            throw new IOException(
                    "the disk did not keep the audit log: " + seen.getMessage(), seen);
        }
    }

    private void loop() {
        try {
            while (!stopped.await(PERIOD.toMillis(), TimeUnit.MILLISECONDS)) {
                failure = attempt();
            }
        } catch (InterruptedException e) {
            failure = new IOException("the thread that syncs the audit log was interrupted", e);
        }
    }

    private @Nullable IOException attempt() {
        try {
            step.run();
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    /// Waits for a step that is under way, so that none runs afterwards.
    @Override
    public void close() throws IOException {
        stopped.countDown();
        try {
            thread.join(CLOSE_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the audit log was closed");
        }
    }
}
