package dev.sallyport.mirror;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// How often a copy may be thrown away and built anew, or be tried that was too large: a sandbox
/// must not make us clone in a loop.
final class Rebuilds {
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Map<String, Long> rebuilt = new HashMap<>();
    private final Map<String, Long> failed = new HashMap<>();

    /// Notes that a copy is thrown away, unless the last time is too recent.
    synchronized void require(String key) throws LimitException {
        if (!recent(rebuilt, key)) {
            rebuilt.put(key, System.nanoTime());
            return;
        }
        throw new LimitException("the copy was built anew less than a minute ago");
    }

    /// Notes that a repository was found too large.
    synchronized void tooLarge(String key) {
        failed.put(key, System.nanoTime());
    }

    synchronized void requireNotTooLarge(String key) throws LimitException {
        if (recent(failed, key)) {
            throw new LimitException("the repository was too large less than a minute ago");
        }
    }

    /// Forgets what is long ago, so that neither table grows for good.
    private static boolean recent(Map<String, Long> table, String key) {
        long now = System.nanoTime();
        table.values().removeIf(when -> now - when >= PAUSE_NANOS);
        return table.containsKey(key);
    }
}
