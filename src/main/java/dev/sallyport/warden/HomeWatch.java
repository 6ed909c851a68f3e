package dev.sallyport.warden;

import dev.sallyport.session.Session;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/// Looks now and then whether running sandboxes have filled their homes, and says so; recorded
/// once. They run on: what they work on would be lost if they were ended, and a workspace has no
/// limit either.
///
/// @param due when to look next, on the clock of [System#nanoTime]
/// @param busy whether somebody is looking
record HomeWatch(Homes homes, Remarks remarks, Ledger ledger, AtomicLong due, AtomicBoolean busy) {
    private static final Duration EVERY = Duration.ofMinutes(5);

    HomeWatch(Homes homes, Remarks remarks, Ledger ledger) {
        this(homes, remarks, ledger, new AtomicLong(System.nanoTime()), new AtomicBoolean());
    }

    /// Returns at once; a large home takes a while.
    void pass(List<Session> all) {
        long now = System.nanoTime();
        if (now - due.get() < 0 || !busy.compareAndSet(false, true)) {
            return;
        }
        due.set(now + EVERY.toNanos());
        Thread.ofVirtual()
                .name("homes")
                .start(
                        () -> {
                            try {
                                all.stream()
                                        .filter(s -> s.state() == Session.State.RUNNING)
                                        .forEach(this::look);
                            } finally {
                                busy.set(false);
                            }
                        });
    }

    void look(Session running) {
        Optional<String> complaint = homes.complaint(running);
        if (complaint.isEmpty()) {
            remarks.forget(running.id(), Remarks.Topic.HOME);
        } else if (!remarks.has(running.id(), Remarks.Topic.HOME)) {
            ledger.note("session.home-large", running, Map.of("reason", complaint.get()));
        }
        complaint.ifPresent(text -> remarks.put(running.id(), Remarks.Topic.HOME, text));
    }
}
