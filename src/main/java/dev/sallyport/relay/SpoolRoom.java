package dev.sallyport.relay;

import dev.sallyport.policy.SessionId;
import java.util.HashMap;
import java.util.Map;

/// How much disk the bodies that are being judged may take: all together, and of that no more than
/// a part for one sandbox, so that none can keep the others from theirs.
public final class SpoolRoom {
    private static final int SANDBOXES_MIN = 4;

    private final long totalMax;
    private final Map<SessionId, Long> taken = new HashMap<>();
    private long total;

    public SpoolRoom(long totalMax) {
        this.totalMax = totalMax;
    }

    public synchronized boolean take(SessionId session, long bytes) {
        long own = taken.getOrDefault(session, 0L) + bytes;
        if (own > Math.max(1, totalMax / SANDBOXES_MIN) || total + bytes > totalMax) {
            return false;
        }
        taken.put(session, own);
        total += bytes;
        return true;
    }

    public synchronized void giveBack(SessionId session, long bytes) {
        total -= bytes;
        taken.compute(session, (_, own) -> own == null || own <= bytes ? null : own - bytes);
    }
}
