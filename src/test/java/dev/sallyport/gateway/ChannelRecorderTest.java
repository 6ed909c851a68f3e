package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.channel.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// P11: what is not recorded has no effect.
final class ChannelRecorderTest {
    private static final AuditEvent EVENT = new AuditEvent("git.request", "", "allow", Map.of());

    private final List<Message> sent = new ArrayList<>();

    private long ticketOf(int index) {
        return ((Message.RecordEvent) sent.get(index)).ticket();
    }

    @Test
    void completesOnlyTheEventThatWasRecorded() {
        ChannelRecorder recorder = new ChannelRecorder(sent::add, Duration.ofSeconds(10));
        CompletableFuture<Void> first = recorder.record(EVENT);
        CompletableFuture<Void> second = recorder.record(EVENT);
        recorder.recorded(ticketOf(1));
        assertThat(first).isNotDone();
        assertThat(second).isCompleted();
        recorder.notRecorded(ticketOf(0), false);
        assertThat(first).isCompletedExceptionally();
    }

    @Test
    void g9_failsWhenTheWardenDoesNotAnswerInTime() {
        ChannelRecorder recorder = new ChannelRecorder(sent::add, Duration.ofSeconds(3));
        CompletableFuture<Void> answer = recorder.record(EVENT);
        recorder.giveUp();
        assertThat(answer).as("while there is time").isNotDone();
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!answer.isDone() && System.nanoTime() - deadline < 0) {
            recorder.giveUp();
        }
        assertThat(answer).isCompletedExceptionally();
        recorder.recorded(ticketOf(0));
    }
}
