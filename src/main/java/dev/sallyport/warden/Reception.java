package dev.sallyport.warden;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/// Whether somebody who is told something takes it. Each change is said once in the log, and what
/// is wrong to whoever asks.
final class Reception {
    private static final System.Logger LOG = System.getLogger(Reception.class.getName());

    private final String who;

    /// Why the last was not taken; empty when it was.
    private final AtomicReference<String> trouble = new AtomicReference<>("");

    /// @param who as it is named in the log
    Reception(String who) {
        this.who = who;
    }

    /// Whether the one before was not taken.
    boolean taken() {
        boolean back = !trouble.getAndSet("").isEmpty();
        if (back) {
            LOG.log(System.Logger.Level.INFO, who + " works again");
        }
        return back;
    }

    /// Whether the one before was taken.
    boolean failed(String why) {
        boolean first = trouble.getAndSet(why).isEmpty();
        if (first) {
            LOG.log(System.Logger.Level.WARNING, who + " fails: " + why);
        }
        return first;
    }

    Optional<String> trouble() {
        return Optional.of(trouble.get()).filter(why -> !why.isEmpty());
    }
}
