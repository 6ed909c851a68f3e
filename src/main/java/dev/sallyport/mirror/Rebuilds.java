package dev.sallyport.mirror;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// How often a copy may be thrown away and built anew: a sandbox that finds a way to spoil one must
/// not make us clone in a loop.
final class Rebuilds {
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Map<String, Long> last = new HashMap<>();

    /// Notes one, unless the last is too recent.
    synchronized void require(String key) throws LimitException {
        long now = System.nanoTime();
        last.values().removeIf(when -> now - when >= PAUSE_NANOS);
        if (last.putIfAbsent(key, now) != null) {
            throw new LimitException("the copy was built anew less than a minute ago");
        }
    }
}
