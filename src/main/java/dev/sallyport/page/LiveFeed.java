package dev.sallyport.page;

import dev.sallyport.audit.AuditFilter;
import dev.sallyport.audit.AuditLine;
import dev.sallyport.audit.AuditReader;
import dev.sallyport.audit.AuditTail;
import dev.sallyport.story.Activity;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;

/// What happens now and what happened lately, read from the record once for all who look.
final class LiveFeed implements AutoCloseable {
    static final int STREAMS_MAX = 16;

    /// For whoever looks later, or is slow.
    static final int LINES_MAX = 500;

    /// What one look sends of what was allowed: more than a person can read.
    static final int ALLOWED_AT_ONCE_MAX = 25;

    private static final System.Logger LOG = System.getLogger(LiveFeed.class.getName());
    private static final Duration PAUSE = Duration.ofMillis(250);
    private static final Duration PAUSE_UNSEEN = Duration.ofSeconds(2);

    /// Before a record that cannot be read is read again as a whole.
    private static final Duration PAUSE_TROUBLE = Duration.ofSeconds(30);

    private final Path log;
    private final Activity activity = new Activity();
    private final Deque<AuditLine> lines = new ArrayDeque<>();
    private final Set<EventStream> streams = ConcurrentHashMap.newKeySet();
    private final Thread thread;
    private boolean complete;
    private String trouble = "";
    private volatile boolean open = true;

    LiveFeed(Path log) {
        this.log = log;
        // Reading files holds a thread; a virtual one would hold those that others share.
        this.thread = Thread.ofPlatform().daemon().name("page feed").start(this::run);
    }

    /// What happened lately.
    ///
    /// @param complete whether the record has been read as a whole
    /// @param trouble why it cannot be read; empty when it can
    record Lately(boolean complete, String trouble, Activity.View activity) {}

    synchronized Lately lately() {
        return new Lately(complete, trouble, activity.view(Instant.now()));
    }

    boolean hasRoom() {
        return streams.size() < STREAMS_MAX;
    }

    /// Whether there was a place for it.
    boolean add(EventStream stream) {
        synchronized (streams) {
            return open && streams.size() < STREAMS_MAX && streams.add(stream);
        }
    }

    void remove(EventStream stream) {
        streams.remove(stream);
    }

    private void run() {
        while (open) {
            try {
                follow();
            } catch (CancellationException e) {
                return;
            } catch (IOException | RuntimeException e) {
                // Whatever it is: a feed that ends in silence looks like one where nothing happens.
                LOG.log(System.Logger.Level.WARNING, "the audit log cannot be followed", e);
                trouble(e instanceof IOException ? String.valueOf(e.getMessage()) : e.toString());
                pause(PAUSE_TROUBLE);
            }
        }
    }

    /// The tail first: what is written while the rest is read is in both, and counts once.
    private void follow() throws IOException {
        AuditTail tail = new AuditTail(log);
        AuditReader.read(log, AuditFilter.ALL, this::take);
        synchronized (this) {
            complete = true;
            trouble = "";
        }
        while (open) {
            tail.next().forEach(this::take);
            streams.forEach(this::serve);
            pause(streams.isEmpty() ? PAUSE_UNSEEN : PAUSE);
        }
    }

    private synchronized void trouble(String why) {
        trouble = why;
    }

    private synchronized void take(AuditLine line) {
        if (!open) {
            throw new CancellationException();
        }
        activity.add(line, Instant.now());
        if (!lines.isEmpty() && line.seq() <= lines.getLast().seq()) {
            return;
        }
        if (lines.size() == LINES_MAX) {
            lines.removeFirst();
        }
        lines.addLast(line);
    }

    private void serve(EventStream stream) {
        List<LineView> due;
        synchronized (this) {
            due =
                    due(lines, stream.sent()).stream()
                            .map(line -> LineView.of(line, activity.nameOf(line)))
                            .toList();
        }
        if (!stream.send(due)) {
            streams.remove(stream);
        }
    }

    /// The newest ones of those that were allowed, and all others. Whoever has just come gets
    /// everything.
    static List<AuditLine> due(Collection<AuditLine> lines, long sent) {
        List<AuditLine> due = lines.stream().filter(line -> line.seq() > sent).toList();
        if (sent == 0) {
            return due;
        }
        long[] needless = {due.stream().filter(LiveFeed::isAllowed).count() - ALLOWED_AT_ONCE_MAX};
        return due.stream().filter(line -> !isAllowed(line) || needless[0]-- <= 0).toList();
    }

    private static boolean isAllowed(AuditLine line) {
        return line.event().decision().equals("allow");
    }

    private void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            open = false;
        }
    }

    @Override
    public void close() {
        open = false;
        thread.interrupt();
        synchronized (streams) {
            streams.forEach(EventStream::end);
            streams.clear();
        }
    }
}
