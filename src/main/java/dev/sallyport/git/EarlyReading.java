package dev.sallyport.git;

import dev.sallyport.policy.GitPermit;
import dev.sallyport.push.PackReading;
import dev.sallyport.push.Slice;
import dev.sallyport.relay.JudgeQueue;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/// Reads a pack while it arrives, in turns: each reads what is on disk, and ends. So a sandbox that
/// sends slowly keeps neither a worker nor a place from others. The judgement comes after the last
/// turn, because a sandbox has one of them at a time ([JudgeQueue]), and goes on from there.
///
/// It is a matter of speed alone: where it does not happen, the judgement reads all of the pack.
final class EarlyReading {
    private static final System.Logger LOG = System.getLogger(EarlyReading.class.getName());

    /// What a turn is worth.
    private static final long TURN_BYTES_MIN = 1 << 20;

    /// What turns need.
    ///
    /// @param seats what was read stays in memory between turns, so few are read at a time
    record Terms(PushJudging judging, JudgeQueue queue, JudgePlaces places, Semaphore seats) {}

    private final Terms terms;
    private final GitPermit permit;
    private final PushSpool spool;
    private final EventLoop loop;

    // On the event loop.
    private JudgeQueue.@Nullable Turn turn;
    private boolean complete;
    private Runnable stopped = () -> {};

    // In a turn of the session's, or when there is none any more.
    private @Nullable PackReading reading;
    private boolean seated;
    private boolean given;
    private boolean enough;
    private long read;

    EarlyReading(Terms terms, GitPermit permit, PushSpool spool, EventLoop loop) {
        this.terms = terms;
        this.permit = permit;
        this.spool = spool;
        this.loop = loop;
    }

    /// More of the pack is on disk.
    void more() {
        if (turn == null && !complete && isWorthATurn()) {
            turn = terms.queue().submit(permit.session(), this::run);
        }
    }

    private boolean isWorthATurn() {
        return !given && !enough && spool.body().written() - read >= TURN_BYTES_MIN;
    }

    private void run() {
        try {
            // How long the pack gets is not known, so it takes no place of the small ones.
            terms.places().run(Long.MAX_VALUE, spool.body()::isAlone, this::read);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a pack is not read early", e);
            close();
        } finally {
            loop.execute(this::over);
        }
    }

    private boolean read(Slice slice)
            throws IOException, InterruptedException, Slice.OverException {
        if (reading == null && !terms.seats().tryAcquire()) {
            given = true;
        }
        if (reading == null && !given) {
            seated = true;
            reading = terms.judging().read(permit, spool);
        }
        while (reading != null && isWorthATurn()) {
            long bytes = spool.body().written();
            reading.readSome(bytes, slice);
            read = bytes;
            enough = reading.awaitsRest();
        }
        return given;
    }

    private void over() {
        turn = null;
        stopped.run();
        more();
    }

    /// All of the pack is on disk: the judgement reads the rest.
    void complete() {
        complete = true;
    }

    /// Ends it. Nobody reads the pack any more when `then` is run.
    void stop(Runnable then) {
        complete = true;
        stopped =
                () -> {
                    close();
                    then.run();
                };
        if (turn == null) {
            stopped.run();
        } else {
            turn.cancel();
        }
    }

    /// Ends the turn that is under way; what comes after it in line need not wait long.
    void cancel() {
        if (turn != null) {
            turn.cancel();
        }
    }

    /// What has been read, which the caller closes; null when nothing was. To be called in a turn
    /// of the session's.
    @Nullable PackReading take() {
        PackReading taken = reading;
        reading = null;
        close();
        return taken;
    }

    /// Gives up what was not taken.
    void close() {
        given = true;
        if (seated) {
            seated = false;
            terms.seats().release();
        }
        PackReading left = reading;
        reading = null;
        if (left != null) {
            left.close();
        }
    }
}
