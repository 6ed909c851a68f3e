package dev.sallyport.lfs;

import dev.sallyport.policy.SessionId;
import dev.sallyport.session.LiveSession;
import java.util.LinkedHashMap;
import java.util.Map;

/// How much each session has uploaded. An object can be uploaded that no push ever names, so this
/// is what bounds a session. From any thread.
///
/// After a gateway's end the next one counts all that the session has sent anywhere until then:
/// more than it uploaded, never less.
final class UploadBudget {
    private static final int SESSIONS_MAX = 100_000;

    private final Map<SessionId, Long> spent =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<SessionId, Long> eldest) {
                    return size() > SESSIONS_MAX;
                }
            };

    synchronized long spent(LiveSession session) {
        return spent.computeIfAbsent(session.id(), _ -> session.before().bytesUp());
    }

    /// When the answer is no, nothing was taken.
    synchronized boolean take(LiveSession session, long bytes, long bytesMax) {
        long before = spent(session);
        if (bytes > bytesMax - before) {
            return false;
        }
        spent.put(session.id(), before + bytes);
        return true;
    }

    synchronized void giveBack(LiveSession session, long bytes) {
        spent.computeIfPresent(session.id(), (_, before) -> before - bytes);
    }
}
