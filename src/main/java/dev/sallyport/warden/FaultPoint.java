package dev.sallyport.warden;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/// A step in the making of a sandbox at which a test can hold the warden, to kill a process just
/// there. Without a directory of such orders, which only a test names when it starts a warden's
/// JVM, nothing happens at any of them.
enum FaultPoint {
    /// A new warden is about to take it over.
    TAKING_OVER,
    /// The audit log has it.
    RECORDED,
    /// The store has it.
    STORED,
    /// The sandbox runs, and nobody has noted which it is.
    MADE,
    /// The store knows which one it is.
    IDENTIFIED,
    /// Its doors are open.
    OPENED;

    private static final Optional<Path> ORDERS =
            Optional.ofNullable(System.getProperty("sallyport.fault-points")).map(Path::of);
    private static final Duration HOLD_MAX = Duration.ofMinutes(2);
    private static final int POLL_MILLIS = 10;

    /// Waits here while there is an order to, which is a file of this step's name.
    void reached() throws IOException {
        Optional<Path> order = ORDERS.map(directory -> directory.resolve(label()));
        if (order.isPresent() && Files.exists(order.get())) {
            Files.createFile(order.get().resolveSibling(label() + ".reached"));
            hold(order.get());
        }
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    private static void hold(Path order) throws IOException {
        long deadline = System.nanoTime() + HOLD_MAX.toNanos();
        try {
            while (Files.exists(order) && System.nanoTime() - deadline < 0) {
                Thread.sleep(POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while held", e);
        }
    }
}
