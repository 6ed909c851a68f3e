package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.channel.RecordLane;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// P11: what is not recorded has no effect. The test is the warden.
final class ChannelRecorderTest {
    private static final AuditEvent EVENT = new AuditEvent("git.request", "", "allow", Map.of());

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final List<String> ends = new ArrayList<>();
    private final RecordLane lane = RecordLane.on(channel, Duration.ofSeconds(3), ends::add);
    private final GatewayMain.ChannelRecorder recorder =
            new GatewayMain.ChannelRecorder(List.of(lane));

    @AfterEach
    void close() {
        var _ = channel.close();
        channel.releaseOutbound();
    }

    /// How many events the next batch has; 0 when there is none.
    private int sent() {
        ByteBuf frame = channel.readOutbound();
        if (frame == null) {
            return 0;
        }
        int count = frame.getUnsignedShort(4);
        frame.release();
        return count;
    }

    private void answer(int... outcomes) {
        ByteBuf answer = Unpooled.buffer().writeShort(outcomes.length);
        for (int outcome : outcomes) {
            answer.writeByte(outcome);
        }
        channel.writeInbound(answer);
    }

    @Test
    void completesOnlyTheEventThatWasRecorded() {
        CompletableFuture<Void> first = recorder.record(EVENT);
        assertThat(sent()).isEqualTo(1);
        CompletableFuture<Void> second = recorder.record(EVENT);
        CompletableFuture<Void> third = recorder.record(EVENT);
        CompletableFuture<Void> fourth = recorder.record(EVENT);
        assertThat(sent()).as("while one batch is in flight").isZero();

        answer(0);
        assertThat(first).isCompletedWithValue(null);
        assertThat(sent()).isEqualTo(3);
        assertThat(second).isNotDone();

        answer(1, 0, 2);
        assertThat(second).isCompletedExceptionally();
        assertThat(Recorder.refusal(second.exceptionNow())).isEqualTo(Refusal.NOT_RECORDED);
        assertThat(third).isCompletedWithValue(null);
        assertThat(Recorder.refusal(fourth.exceptionNow())).isEqualTo(Refusal.DISK_FULL);
        assertThat(sent()).isZero();
    }

    @Test
    void g9_failsWhenTheWardenDoesNotAnswerInTime() {
        CompletableFuture<Void> answer = recorder.record(EVENT);
        CompletableFuture<Void> behind = recorder.record(EVENT);
        channel.runScheduledPendingTasks();
        assertThat(answer).as("while there is time").isNotDone();
        channel.advanceTimeBy(1, TimeUnit.MINUTES);
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!behind.isDone() && System.nanoTime() - deadline < 0) {
            channel.advanceTimeBy(1, TimeUnit.SECONDS);
            channel.runScheduledPendingTasks();
        }
        assertThat(answer).isCompletedExceptionally();
        assertThat(behind).isCompletedExceptionally();
        assertThat(sent()).isEqualTo(1);
        answer(0);
        assertThat(answer).isCompletedExceptionally();
        assertThat(ends).as("the warden was only slow").isEmpty();
    }

    @Test
    void p11_nothingThatWaitsTakesEffectWhenTheLaneBreaks() {
        CompletableFuture<Void> inFlight = recorder.record(EVENT);
        CompletableFuture<Void> filling = recorder.record(EVENT);
        sent();
        var _ = channel.close();
        assertThat(inFlight).isCompletedExceptionally();
        assertThat(filling).isCompletedExceptionally();
        assertThat(recorder.record(EVENT)).isCompletedExceptionally();
        assertThat(ends).as("the gateway is told to end").hasSize(1);
    }

    @Test
    void anAnswerToSomethingElseIsTheEnd() {
        CompletableFuture<Void> event = recorder.record(EVENT);
        sent();
        answer(0, 0);
        assertThat(event).isCompletedExceptionally();
        assertThat(ends).hasSize(1);
    }

    @Test
    void anOutcomeThatDoesNotExistIsTheEnd() {
        CompletableFuture<Void> event = recorder.record(EVENT);
        sent();
        answer(3);
        assertThat(event).isCompletedExceptionally();
        assertThat(ends).hasSize(1);
    }

    @Test
    void i17_whatWaitsIsBounded() {
        List<CompletableFuture<Void>> waiting = new ArrayList<>();
        for (int i = 0; i < 16_384; i++) {
            waiting.add(recorder.record(EVENT));
        }
        assertThat(recorder.record(EVENT)).isCompletedExceptionally();
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        int answered = 0;
        for (int next = sent(); next > 0; next = sent()) {
            assertThat(next).isLessThanOrEqualTo(512);
            answered += next;
            answer(new int[next]);
        }
        assertThat(answered).isEqualTo(16_384);
        assertThat(waiting).allMatch(event -> event.isDone() && !event.isCompletedExceptionally());
    }
}
