package dev.sallyport.warden;

import dev.sallyport.channel.Message;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// Connects to the gateway of one sandbox for its sidecar, which has no network. Where that is, the
/// sidecar does not say. One connection at a time, with a pause, so that one that was taken over
/// cannot keep gateway and machine busy by asking.
final class LineDesk {
    private static final Duration PAUSE = Duration.ofMillis(50);

    /// Where the sandbox's gateway is; blocks.
    interface Way {
        FileDescriptor connect() throws IOException, OperationException;
    }

    /// Who hands the connection over.
    interface Answer {
        /// Once for each wish.
        ///
        /// @param descriptors one, or none if the message says why; ownership passes
        void send(Message.Line line, List<FileDescriptor> descriptors);
    }

    private final String session;
    private final Way way;
    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile long notBeforeNanos = System.nanoTime();

    LineDesk(String session, Way way) {
        this.session = session;
        this.way = way;
    }

    /// Returns at once: false when the last wish was not answered yet, which no sidecar of ours
    /// does.
    boolean wanted(Answer answer) {
        boolean taken = busy.compareAndSet(false, true);
        if (taken) {
            Thread.ofVirtual().name("line").start(() -> serve(answer));
        }
        return taken;
    }

    private void serve(Answer answer) {
        String trouble = "the connection could not be made";
        List<FileDescriptor> made = List.of();
        try {
            TimeUnit.NANOSECONDS.sleep(notBeforeNanos - System.nanoTime());
            made = List.of(way.connect());
            trouble = "";
        } catch (IOException | OperationException | RuntimeException e) {
            trouble = String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            trouble = "interrupted";
        } finally {
            notBeforeNanos = System.nanoTime() + PAUSE.toNanos();
            // Before the answer, because the next wish may follow it at once. It is sent after an
            // error of the JVM, too: a sidecar that gets none waits for ever.
            busy.set(false);
            answer.send(new Message.Line(session, trouble, 0, made.size()), made);
        }
    }
}
