package dev.sallyport.mirror;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.eclipse.jgit.lib.ProgressMonitor;

/// Watches over one pack that is taken in: stops it at the deadline or when interrupted, holds it
/// to its size, and tells the person who waits how far it is.
final class IntakeWatch extends EmptyProgressMonitor {
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int STEP_BYTES = 1 << 18;

    /// Asked before the disk is used.
    interface Room {
        /// Says by an exception that there is none.
        ///
        /// @param bytes how large the pack is, at least
        void require(long bytes) throws IOException;
    }

    private final Deadline deadline;
    private final Progress progress;
    private final Room room;
    private long received;
    private long granted;
    private long toldNanos;
    private boolean stopped;

    IntakeWatch(Deadline deadline, Progress progress, Room room) {
        this.deadline = deadline;
        this.progress = progress;
        this.room = room;
        this.toldNanos = System.nanoTime() + QUIET_NANOS - PAUSE_NANOS;
    }

    void stop() {
        stopped = true;
    }

    /// The same bytes, counted; room is made for them step by step, and for all in the end.
    InputStream over(InputStream in) {
        return new FilterInputStream(in) {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                int count = super.read(target, offset, length);
                if (count < 0) {
                    room.require(received);
                } else {
                    count(count);
                }
                return count;
            }
        };
    }

    private void count(int bytes) throws IOException {
        received += bytes;
        if (received > granted) {
            room.require(received);
            granted = received + STEP_BYTES;
        }
        tell(0);
    }

    private void tell(int indexedPercent) {
        long now = System.nanoTime();
        if (now - toldNanos >= PAUSE_NANOS) {
            toldNanos = now;
            progress.reached(received, indexedPercent);
        }
    }

    @Override
    public boolean isCancelled() {
        return stopped || deadline.hasPassed() || Thread.currentThread().isInterrupted();
    }

    /// The same watch for the stage in which nothing is received any more.
    ProgressMonitor afterReceiving(Runnable begins) {
        return new Indexing(begins);
    }

    private final class Indexing extends EmptyProgressMonitor {
        private final Runnable begins;
        private int total;
        private int done;

        Indexing(Runnable begins) {
            this.begins = begins;
        }

        @Override
        public void beginTask(String title, int totalWork) {
            total = totalWork;
            begins.run();
        }

        @Override
        public void update(int completed) {
            done += completed;
            tell((int) (100L * done / Math.max(1, total)));
        }

        @Override
        public boolean isCancelled() {
            return IntakeWatch.this.isCancelled();
        }
    }
}
