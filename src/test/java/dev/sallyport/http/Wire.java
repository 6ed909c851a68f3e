package dev.sallyport.http;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.fixture.HandClock;
import dev.sallyport.fixture.LiveSessions;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.LiveSession;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// A connection in memory, with a clock that the test moves.
final class Wire implements AutoCloseable {
    static final SessionId SESSION = new SessionId("00000000000000aa");

    final List<AuditEvent> recorded = new ArrayList<>();
    final RequestQuota quota;

    /// What comes of a record.
    Supplier<CompletableFuture<Void>> recording = () -> CompletableFuture.completedFuture(null);

    final EmbeddedChannel channel;
    private final HandClock clock = new HandClock();

    Wire(Door door) {
        this(door, Limits.standard());
    }

    Wire(Door door, Limits limits) {
        this(door, limits, HeadForm.FRONT, ByteBufAllocator.DEFAULT);
    }

    Wire(Door door, Limits limits, HeadForm form, ByteBufAllocator alloc) {
        LiveSession session =
                LiveSessions.of(
                        SESSION,
                        "test",
                        new Policy(SESSION, List.of()),
                        new CredentialBook(List.of()));
        quota = new RequestQuota(limits.sharing(), new RequestQuota.Total(limits.sharing()), clock);
        RefusalLog log =
                new RefusalLog(
                        SESSION,
                        event -> {
                            recorded.add(event);
                            return recording.get();
                        });
        RequestDecoder decoder = new RequestDecoder(limits.http(), form);
        channel = new EmbeddedChannel();
        channel.config().setAllocator(alloc);
        channel.freezeTime();
        channel.pipeline().addLast(decoder);
        channel.pipeline()
                .addLast(
                        new RequestConnection(
                                decoder,
                                new ConnectionTerms(
                                        () -> session, door, limits.http(), quota, log)));
        channel.pipeline().fireChannelActive();
    }

    Wire send(String text) {
        ByteBuf bytes = channel.alloc().buffer();
        bytes.writeCharSequence(text, StandardCharsets.ISO_8859_1);
        channel.writeInbound(bytes);
        channel.checkException();
        return this;
    }

    /// Each byte arrives alone.
    Wire dribble(String text) {
        for (int i = 0; i < text.length() && channel.isOpen(); i++) {
            send(text.substring(i, i + 1));
        }
        return this;
    }

    Wire seconds(int seconds) {
        for (int i = 0; i < seconds; i++) {
            clock.passSeconds(1);
            channel.advanceTimeBy(1, TimeUnit.SECONDS);
            channel.runScheduledPendingTasks();
            channel.runPendingTasks();
        }
        return this;
    }

    /// Everything that was answered since the last call.
    String answered() {
        StringBuilder text = new StringBuilder();
        for (ByteBuf piece = channel.readOutbound();
                piece != null;
                piece = channel.readOutbound()) {
            text.append(piece.toString(StandardCharsets.UTF_8));
            piece.release();
        }
        return text.toString();
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() {
        channel.finishAndReleaseAll();
    }
}
