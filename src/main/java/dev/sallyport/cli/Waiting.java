package dev.sallyport.cli;

import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Shows a person that something takes long, for how long it does, and how far it is: one line on
/// the terminal, written over each second and gone at the end. What is over within a second shows
/// nothing, and so does everything that no terminal shows.
final class Waiting implements AutoCloseable {
    static final Duration QUIET = Duration.ofSeconds(1);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    /// A line that is wider than the terminal could not be written over.
    private static final int COLUMNS_MAX = 78;

    private static final int SECONDS_PER_MINUTE = 60;

    /// Asked each time for how far it is; says nothing when nobody knows.
    interface Source {
        String now() throws IOException, ControlException;
    }

    private final PrintStream out;
    private final Ink ink;
    private final String what;
    private final LongSupplier nanoClock;
    private final long begunNanos;
    private volatile Source source = () -> "";
    private @Nullable Thread looking;
    private int columns;
    private boolean over;

    /// Draws only when it is told to look.
    ///
    /// @param what is done, as in "stopping 3 sandboxes"
    Waiting(PrintStream out, Ink ink, String what, LongSupplier nanoClock) {
        this.out = out;
        this.ink = ink;
        this.what = what;
        this.nanoClock = nanoClock;
        this.begunNanos = nanoClock.getAsLong();
    }

    /// Looks by itself from now on.
    Waiting begin() {
        looking = Thread.ofVirtual().start(this::looks);
        return this;
    }

    private void looks() {
        try {
            while (true) {
                Thread.sleep(INTERVAL);
                look();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// The work says how far it is.
    void at(String where) {
        source = () -> where;
    }

    /// The same from somebody else, such as the daemon.
    void asking(Source other) {
        source = other;
    }

    /// Draws the line, if it is time.
    void look() {
        Duration taken = Duration.ofNanos(nanoClock.getAsLong() - begunNanos);
        if (taken.compareTo(QUIET) >= 0) {
            String where = where();
            draw(Printable.of("· " + what + where + " (" + time(taken) + ")"));
        }
    }

    /// Without a lock: it may have to wait for an answer, and whoever ends this must not.
    private String where() {
        try {
            String said = source.now();
            return said.isEmpty() ? "" : ": " + said;
        } catch (IOException | ControlException _) {
            return "";
        }
    }

    private static String time(Duration taken) {
        long seconds = taken.toSeconds();
        return seconds < SECONDS_PER_MINUTE
                ? seconds + " s"
                : seconds / SECONDS_PER_MINUTE + " min " + seconds % SECONDS_PER_MINUTE + " s";
    }

    /// With blanks over what was longer before: not every terminal knows how to clear a line.
    private synchronized void draw(String text) {
        if (over) {
            return;
        }
        String line = text.length() > COLUMNS_MAX ? cut(text) : text;
        out.print("\r" + ink.faint(line) + " ".repeat(Math.max(0, columns - line.length())));
        out.flush();
        columns = Math.max(columns, line.length());
    }

    /// How long it has taken is at its end and stays.
    private static String cut(String text) {
        int end = text.lastIndexOf(" (");
        String tail = text.substring(end);
        return text.substring(0, COLUMNS_MAX - tail.length() - 1) + "…" + tail;
    }

    /// Prints something else where the line is.
    synchronized void beside(Runnable printing) {
        clear();
        printing.run();
    }

    private void clear() {
        if (columns > 0) {
            out.print("\r" + " ".repeat(columns) + "\r");
            out.flush();
            columns = 0;
        }
    }

    @Override
    public synchronized void close() {
        over = true;
        if (looking != null) {
            looking.interrupt();
        }
        clear();
    }
}
