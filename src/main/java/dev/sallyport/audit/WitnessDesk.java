package dev.sallyport.audit;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Tells a [Witness] how far the log went, on a thread of its own: the record never waits for it.
/// Only the newest head is kept for it, since it stands for all lines before.
final class WitnessDesk implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(WitnessDesk.class.getName());
    private static final Duration PERIOD = Duration.ofSeconds(10);

    /// After a failure; twice as long after each further one.
    private static final Duration RETRY_MAX = Duration.ofMinutes(10);

    private static final Duration CLOSE_MAX = Duration.ofSeconds(5);

    /// Where it is told what became of the witness.
    interface Ledger {
        long append(AuditEvent event) throws IOException;
    }

    private final Witness witness;
    private final Duration period;
    private final Ledger record;
    private final AtomicReference<@Nullable String> untold = new AtomicReference<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread;
    private boolean fails;

    /// @param record gets that the witness fails, and that it is back
    WitnessDesk(Witness witness, Ledger record) {
        this(witness, PERIOD, record);
    }

    WitnessDesk(Witness witness, Duration period, Ledger record) {
        this.witness = witness;
        this.period = period;
        this.record = record;
        this.thread = Thread.ofPlatform().daemon().name("audit-witness").unstarted(this::loop);
    }

    /// From the thread that syncs.
    void tell(String head) {
        untold.set(head);
        if (thread.getState() == Thread.State.NEW && !witness.equals(Witness.NONE)) {
            thread.start();
        }
    }

    private void loop() {
        Duration wait = Duration.ZERO;
        try {
            while (!stopped.await(wait.toMillis(), TimeUnit.MILLISECONDS)) {
                wait = attempt() ? period : longer(wait);
            }
            attempt();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Duration longer(Duration wait) {
        Duration twice = wait.multipliedBy(2);
        return twice.compareTo(period) < 0
                ? period
                : twice.compareTo(RETRY_MAX) > 0 ? RETRY_MAX : twice;
    }

    /// A head that was not told is told again, unless there is a newer one.
    private boolean attempt() {
        String head = untold.getAndSet(null);
        if (head == null) {
            return true;
        }
        try {
            witness.tell(head);
            if (fails) {
                note(AuditEvent.ofSystem("audit.witness-back"));
            }
            fails = false;
            return true;
        } catch (IOException | RuntimeException e) {
            untold.compareAndSet(null, head);
            if (!fails) {
                note(
                        AuditEvent.ofSystem(
                                "audit.witness-failed", "reason", String.valueOf(e.getMessage())));
            }
            fails = true;
            return false;
        }
    }

    private void note(AuditEvent event) {
        LOG.log(Level.WARNING, event.kind() + " " + event.detail().getOrDefault("reason", ""));
        try {
            record.append(event);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "not recorded: " + event.kind(), e);
        }
    }

    /// The last head is told, if that does not take long.
    @Override
    public void close() {
        stopped.countDown();
        if (thread.getState() == Thread.State.NEW) {
            return;
        }
        try {
            thread.join(CLOSE_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
