package dev.sallyport.sandbox;

import dev.sallyport.policy.SessionId;
import java.util.function.Consumer;

/// Tells when a sandbox's first process has ended. It asks the kernel again and again, because that
/// works for processes that this one did not start, which is the case after a restart.
public final class EndWatch {
    private static final int POLL_MILLIS = 200;

    private EndWatch() {}

    public static void start(SessionId id, Identity identity, Consumer<SessionId> listener) {
        Thread.ofVirtual()
                .name("end-of-" + id)
                .start(
                        () -> {
                            if (awaitEnd(identity)) {
                                listener.accept(id);
                            }
                        });
    }

    private static boolean awaitEnd(Identity identity) {
        while (ProcessIdentity.isAlive(identity)) {
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }
}
