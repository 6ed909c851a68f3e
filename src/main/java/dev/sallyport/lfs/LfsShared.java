package dev.sallyport.lfs;

import dev.sallyport.audit.Recorder;
import dev.sallyport.policy.SessionId;
import dev.sallyport.push.SecretFinder;
import dev.sallyport.relay.JudgeQueue;
import dev.sallyport.relay.Spool;
import dev.sallyport.relay.SpoolRoom;
import dev.sallyport.session.LiveSession;
import dev.sallyport.session.UsageMeter;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.Room;
import io.netty.channel.EventLoop;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/// What all requests about large files share.
final class LfsShared implements AutoCloseable {
    private static final long ANSWER_BYTES_TOTAL_MAX = 32L << 20;
    private static final long BODY_BYTES_TOTAL_MAX = 16L << 20;
    private static final long SPOOL_BYTES_TOTAL_MAX = 1L << 30;
    private static final int WORKERS_MAX = 2;

    private final Client upstream;
    private final UsageMeter usage;
    private final Path work;
    private final SecretFinder secrets;
    private final LfsAudit audit;
    private final ActionTable actions = new ActionTable(System::nanoTime);
    private final UploadBudget budget = new UploadBudget();
    private final Room answers = Room.of(ANSWER_BYTES_TOTAL_MAX);
    private final SpoolRoom bodies = new SpoolRoom(BODY_BYTES_TOTAL_MAX);
    private final SpoolRoom disk = new SpoolRoom(SPOOL_BYTES_TOTAL_MAX);
    private final JudgeQueue workers = new JudgeQueue("lfs", WORKERS_MAX);
    private final AtomicLong uploads = new AtomicLong();

    /// @param work a directory of this process alone
    LfsShared(
            Client upstream, Recorder recorder, UsageMeter usage, Path work, SecretFinder secrets) {
        this.upstream = upstream;
        this.usage = usage;
        this.work = work;
        this.secrets = secrets;
        this.audit = new LfsAudit(recorder);
    }

    Client upstream() {
        return upstream;
    }

    UsageMeter usage() {
        return usage;
    }

    SecretFinder secrets() {
        return secrets;
    }

    LfsAudit audit() {
        return audit;
    }

    ActionTable actions() {
        return actions;
    }

    UploadBudget budget() {
        return budget;
    }

    /// Memory for answers that are taken as a whole.
    Room answers() {
        return answers;
    }

    /// Memory for requests that are.
    SpoolRoom bodies() {
        return bodies;
    }

    JudgeQueue workers() {
        return workers;
    }

    Spool spool(SessionId session, EventLoop loop, Spool.Events events) {
        Path directory = work.resolve("lfs-" + uploads.incrementAndGet());
        return new Spool(directory, disk, session, loop, events);
    }

    @Override
    public void close() {
        workers.close();
    }

    /// How much each session has uploaded. An object can be uploaded that no push ever names, so
    /// this is what bounds a session. From any thread.
    ///
    /// After a gateway's end the next one counts all that the session has sent anywhere until then:
    /// more than it uploaded, never less.
    static final class UploadBudget {
        private static final int SESSIONS_MAX = 100_000;

        private final Map<SessionId, Long> spent =
                new LinkedHashMap<>() {
                    private static final long serialVersionUID = 1L;

                    @Override
                    protected boolean removeEldestEntry(Map.Entry<SessionId, Long> eldest) {
                        return size() > SESSIONS_MAX;
                    }
                };

        synchronized long spent(LiveSession session) {
            return spent.computeIfAbsent(session.id(), _ -> session.before().bytesUp());
        }

        /// When the answer is no, nothing was taken.
        synchronized boolean take(LiveSession session, long bytes, long bytesMax) {
            long before = spent(session);
            if (bytes > bytesMax - before) {
                return false;
            }
            spent.put(session.id(), before + bytes);
            return true;
        }

        synchronized void giveBack(LiveSession session, long bytes) {
            spent.computeIfPresent(session.id(), (_, before) -> before - bytes);
        }
    }
}
