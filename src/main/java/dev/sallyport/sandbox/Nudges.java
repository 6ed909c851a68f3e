package dev.sallyport.sandbox;

import dev.sallyport.policy.SessionId;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/// Does something for a session after each nudge, on a thread of its own. However many nudges there
/// are, one is under way for a session and at most one more waits.
public final class Nudges {
    private final Consumer<SessionId> work;
    private final Set<SessionId> due = ConcurrentHashMap.newKeySet();
    private final Set<SessionId> busy = ConcurrentHashMap.newKeySet();

    public Nudges(Consumer<SessionId> work) {
        this.work = work;
    }

    public void nudge(SessionId session) {
        due.add(session);
        if (busy.add(session)) {
            Thread.ofVirtual().name("nudge-" + session).start(() -> run(session));
        }
    }

    private void run(SessionId session) {
        do {
            try {
                while (due.remove(session)) {
                    work.accept(session);
                }
            } finally {
                busy.remove(session);
            }
        } while (due.contains(session) && busy.add(session));
    }
}
