package dev.sallyport.forge;

import dev.sallyport.audit.Recorder;
import dev.sallyport.config.Limits;
import dev.sallyport.forge.graphql.QueryJudge;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import dev.sallyport.push.SecretScanner;
import dev.sallyport.relay.JudgeQueue;
import dev.sallyport.session.UsageMeter;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.Room;
import io.netty.channel.EventLoop;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What the doors to APIs of all sessions share: the judges, and who does their work.
public final class ApiDoors implements AutoCloseable {
    private static final Logger LOG = System.getLogger(ApiDoors.class.getName());

    /// Each may have a whole answer in many small objects.
    private static final int WORKERS_MAX = 2;

    /// Judgements that wait for a worker or have one. One sandbox has no more of them than
    /// requests.
    private static final int WORKS_TOTAL_MAX = 512;

    /// So that one sandbox cannot take the room of the others.
    private static final int SHARES = 2;

    private final Client upstream;
    private final Recorder recorder;
    private final UsageMeter usage;
    private final Limits.Api limits;
    private final Room room;
    private final ProposalRules proposals;
    private final RestJudge rest = new RestJudge();
    private final JudgeQueue workers = new JudgeQueue("api", WORKERS_MAX);
    private final Semaphore works;
    private @Nullable QueryJudge queries;

    public ApiDoors(Client upstream, Recorder recorder, UsageMeter usage, Limits.Api limits) {
        this(upstream, recorder, usage, limits, WORKS_TOTAL_MAX);
    }

    ApiDoors(
            Client upstream,
            Recorder recorder,
            UsageMeter usage,
            Limits.Api limits,
            int worksTotalMax) {
        this.works = new Semaphore(worksTotalMax);
        this.upstream = upstream;
        this.recorder = recorder;
        this.usage = usage;
        this.limits = limits;
        this.room = Room.of(limits.answerBytesTotalMax());
        this.proposals = new ProposalRules(limits);
    }

    /// The door of one session.
    ///
    /// @param policy of the session. If it has an API, its first query finds its judge ready; if it
    ///   may push, so does the first text that is searched for secrets, which may be on an event
    ///   loop.
    public ApiDoor door(SessionId session, RefusalLog refusals, Policy policy) {
        if (!policy.apis().isEmpty()) {
            var _ = workers.submit(session, this::queries);
        }
        if (policy.grants().stream().anyMatch(grant -> grant.access() == Access.WRITE)) {
            var _ = workers.submit(session, SecretScanner::standard);
        }
        proposals.begin(session);
        return new ApiDoor(this, session, new ApiAudit(recorder, refusals), room.share(SHARES));
    }

    /// Forgets a session that has ended.
    public void end(SessionId session) {
        proposals.end(session);
    }

    /// The rules about what sandboxes propose, which other doors share.
    public ProposalRules proposals() {
        return proposals;
    }

    Client upstream() {
        return upstream;
    }

    UsageMeter usage() {
        return usage;
    }

    Limits.Api limits() {
        return limits;
    }

    RestJudge rest() {
        return rest;
    }

    /// Made once, on a worker: the schema takes time.
    synchronized QueryJudge queries() {
        QueryJudge judge = queries;
        if (judge == null) {
            judge = new QueryJudge();
            queries = judge;
        }
        return judge;
    }

    /// Work for a processor, away from the event loop.
    ///
    /// @param done gets what came of it, on the loop
    /// @return why it is not done
    <T> Optional<Refusal> work(
            SessionId session, EventLoop loop, Supplier<T> work, Consumer<Optional<T>> done) {
        if (!works.tryAcquire()) {
            return Optional.of(Refusal.GATEWAY_BUSY);
        }
        var _ =
                workers.submit(
                        session,
                        () -> {
                            Optional<T> result = attempt(work);
                            works.release();
                            loop.execute(() -> done.accept(result));
                        });
        return Optional.empty();
    }

    /// Empty when it failed in a way that nobody thought of.
    static <T> Optional<T> attempt(Supplier<T> work) {
        try {
            return Optional.of(work.get());
        } catch (RuntimeException | Error e) {
            // Whatever it is, its place is free again and somebody waits for an answer.
            LOG.log(Level.ERROR, "a request to an API could not be judged", e);
            return Optional.empty();
        }
    }

    /// What requests and answers hold in memory now.
    long heldBytes() {
        return room.bytes();
    }

    @Override
    public void close() {
        workers.close();
    }
}
