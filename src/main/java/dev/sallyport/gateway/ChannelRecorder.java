package dev.sallyport.gateway;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.channel.Message;
import dev.sallyport.config.DiskFullException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/// Has events recorded by the warden. No answer within the time limit, too many events waiting, or
/// a warden that cannot write: each is a failure, and the request is refused.
final class ChannelRecorder implements Recorder {
    private static final int WAITING_MAX = 16_384;

    private final Consumer<Message> warden;
    private final Duration patience;
    private final AtomicLong tickets = new AtomicLong();
    private final Map<Long, Waiting> waiting = new ConcurrentHashMap<>();

    private record Waiting(CompletableFuture<Void> answer, long sinceNanos) {}

    ChannelRecorder(Consumer<Message> warden, Duration patience) {
        this.warden = warden;
        this.patience = patience;
    }

    @Override
    public CompletableFuture<Void> record(AuditEvent event) {
        if (waiting.size() >= WAITING_MAX) {
            return CompletableFuture.failedFuture(new IOException("too many events wait"));
        }
        long ticket = tickets.incrementAndGet();
        CompletableFuture<Void> answer = new CompletableFuture<>();
        waiting.put(ticket, new Waiting(answer, System.nanoTime()));
        warden.accept(new Message.RecordEvent(ticket, event));
        return answer;
    }

    void recorded(long ticket) {
        Waiting known = waiting.remove(ticket);
        if (known != null) {
            known.answer.complete(null);
        }
    }

    void notRecorded(long ticket, boolean diskFull) {
        fail(
                ticket,
                diskFull
                        ? new DiskFullException("the disk is full")
                        : new IOException("the event could not be written"));
    }

    /// Gives up on what has waited for too long; called once a second, because a timer for each
    /// event would cost more than the event.
    void giveUp() {
        long now = System.nanoTime();
        waiting.forEach(
                (ticket, known) -> {
                    if (now - known.sinceNanos >= patience.toNanos()) {
                        fail(ticket, new IOException("the warden does not answer"));
                    }
                });
    }

    private void fail(long ticket, IOException reason) {
        Waiting known = waiting.remove(ticket);
        if (known != null) {
            known.answer.completeExceptionally(reason);
        }
    }
}
