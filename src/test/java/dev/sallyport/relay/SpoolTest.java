package dev.sallyport.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// P10: how fast a pack is put on disk while others want something too.
final class SpoolTest implements Spool.Events {
    private static final int PIECE_BYTES = 1_200_000;
    private static final int PIECES = 5;

    @TempDir Path dir;
    private final BlockingQueue<Runnable> rests = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private boolean alone;

    /// A rest is over when the test says so.
    private final DefaultEventLoop loop =
            new DefaultEventLoop() {
                @Override
                public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
                    rests.add(task);
                    return super.schedule(() -> {}, 0, unit);
                }
            };

    @AfterEach
    void end() {
        var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    @Override
    public void drained() {
        told.add("drained");
    }

    @Override
    public void spooled() {
        told.add("spooled");
    }

    @Override
    public void failed(Refusal reason) {
        told.add("failed");
    }

    private Spool spool() {
        SpoolRoom room = new SpoolRoom(1L << 30);
        return new Spool(dir.resolve("push"), room, SessionId.random(), () -> alone, loop, this);
    }

    private void append(Spool spool, int bytes) throws Exception {
        loop.submit(
                        () -> {
                            spool.append(Unpooled.wrappedBuffer(new byte[bytes]));
                            return null;
                        })
                .get();
    }

    private String next() throws InterruptedException {
        return String.valueOf(told.poll(120, TimeUnit.SECONDS));
    }

    private static void awaitGone(Path path) {
        Await.until(() -> !Files.exists(path));
    }

    private Runnable rest() throws InterruptedException {
        Runnable over = rests.poll(120, TimeUnit.SECONDS);
        assertThat(over).isNotNull();
        return over;
    }

    @Test
    void p10InCompanyALargePackRestsAfterEachWriteAndTakesNoMoreMeanwhile() throws Exception {
        Spool spool = spool();
        for (int i = 1; i <= PIECES; i++) {
            append(spool, PIECE_BYTES);
            Runnable over = rest();
            assertThat(spool.written()).isEqualTo((long) i * PIECE_BYTES);
            assertThat(loop.submit(spool::isFull).get()).isTrue();
            assertThat(told).isEmpty();
            loop.execute(over);
            assertThat(next()).isEqualTo("drained");
            assertThat(loop.submit(spool::isFull).get()).isFalse();
        }
        loop.execute(spool::finish);
        assertThat(next()).isEqualTo("spooled");
        assertThat(rests).isEmpty();
        assertThat(Files.size(spool.file())).isEqualTo((long) PIECES * PIECE_BYTES);
    }

    @Test
    void aSmallPackDoesNotRestAndNeitherDoesALargeOneOfWhoIsAlone() throws Exception {
        Spool small = spool();
        append(small, 1_000_000);
        assertThat(next()).isEqualTo("drained");
        assertThat(rests).isEmpty();
        loop.submit(small::close).get();
        awaitGone(dir.resolve("push"));

        alone = true;
        Spool large = spool();
        for (int i = 0; i < PIECES; i++) {
            append(large, PIECE_BYTES);
            assertThat(next()).isEqualTo("drained");
        }
        assertThat(rests).isEmpty();
    }

    @Test
    void whatIsClosedWhileItRestsIsRemoved() throws Exception {
        Spool spool = spool();
        append(spool, PIECE_BYTES);
        Runnable over = rest();
        loop.submit(spool::close).get();
        loop.execute(over);
        awaitGone(dir.resolve("push"));
        assertThat(told).isEmpty();
    }
}
