package dev.sallyport.gateway;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.channel.Message;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/// Has events recorded by the warden. No answer within the time limit, too many events waiting, or
/// a warden that cannot write: each is a failure, and the request is refused.
final class ChannelRecorder implements Recorder {
    private static final int WAITING_MAX = 16_384;

    private final Consumer<Message> warden;
    private final Duration patience;
    private final AtomicLong tickets = new AtomicLong();
    private final Map<Long, CompletableFuture<Void>> waiting = new ConcurrentHashMap<>();

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
        waiting.put(ticket, answer);
        warden.accept(new Message.RecordEvent(ticket, event));
        return answer.orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((_, _) -> waiting.remove(ticket));
    }

    void recorded(long ticket) {
        CompletableFuture<Void> answer = waiting.remove(ticket);
        if (answer != null) {
            answer.complete(null);
        }
    }

    void notRecorded(long ticket) {
        CompletableFuture<Void> answer = waiting.remove(ticket);
        if (answer != null) {
            answer.completeExceptionally(new IOException("the event could not be written"));
        }
    }
}
