package dev.sallyport.git;

import dev.sallyport.approval.Question;
import dev.sallyport.config.DiskFullException;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.mirror.Mirror;
import dev.sallyport.mirror.MirrorException;
import dev.sallyport.mirror.Mirrors;
import dev.sallyport.mirror.Progress;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import dev.sallyport.push.Judge;
import dev.sallyport.push.LfsPointer;
import dev.sallyport.push.MirrorTroubleException;
import dev.sallyport.push.Objection;
import dev.sallyport.push.PackReading;
import dev.sallyport.push.PushCase;
import dev.sallyport.push.Slice;
import dev.sallyport.push.Verdict;
import dev.sallyport.relay.JudgeQueue;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.Spool;
import dev.sallyport.relay.SpoolRoom;
import dev.sallyport.upstream.Failure;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Judges pushes, away from the event loops: brings the copy of the repository up to date, then
/// lets the judge compare. Whatever goes wrong on the way is a refusal.
public final class PushJudging implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PushJudging.class.getName());
    private static final int ATTEMPTS_MAX = 2;

    /// What the requests of fetches that are being checked may hold together. They are lists of
    /// ids; those of the longest negotiations have a few hundred kilobytes.
    private static final long REQUEST_BYTES_TOTAL_MAX = 16 << 20;

    /// Each holds the commits of one repository in memory.
    private static final int WALKS_MAX = 2;

    private static final int WALK_WAIT_SECONDS_MAX = 120;

    /// One push that is to be judged.
    ///
    /// @param fetch proof that this session may read what it pushes to
    record Matter(
            GitPermit push,
            GitPermit fetch,
            CredentialBook credentials,
            PushCommands commands,
            PushSpool spool,
            EarlyReading early,
            WaitTalk talk) {}

    /// What came of it.
    sealed interface Result {
        /// What is lent until the push is over, so that an accepted pack can join it.
        @Nullable Mirror copy();

        /// The judge has spoken.
        ///
        /// @param question what a person has to say yes to first, if it may go upstream
        record Judged(Verdict verdict, Mirror copy, Optional<Question> question)
                implements Result {}

        record NotJudged(Failure failure) implements Result {
            NotJudged(Refusal reason) {
                this(Failure.of(reason));
            }

            @Override
            public @Nullable Mirror copy() {
                return null;
            }
        }
    }

    private static final int WORKERS_MAX = 64;

    /// Of the large files that upstream lacks.
    private static final int MISSING_TOLD = 10;

    private final Path work;
    private final Mirrors mirrors;
    private final Judge judge;
    private final PointedObjects large;
    private final SpoolRoom room;
    private final SpoolRoom requests = new SpoolRoom(REQUEST_BYTES_TOTAL_MAX);
    private final Semaphore walks = new Semaphore(WALKS_MAX, true);
    private final JudgeQueue queue = new JudgeQueue("judge", WORKERS_MAX);
    private final JudgePlaces places;
    private final Semaphore earlySeats;
    private final CopyFetches copies;
    private final WaitTalk.Pace pace;
    private final AtomicLong pushes = new AtomicLong();

    /// Puts packs and quarantines below `work`, a directory of this process alone.
    public PushJudging(
            Limits.Push limits, Path work, Mirrors mirrors, Judge judge, PointedObjects large) {
        this(limits, work, mirrors, judge, large, JudgePlaces.FIRST_SLICE, WaitTalk.Pace.STANDARD);
    }

    PushJudging(
            Limits.Push limits,
            Path work,
            Mirrors mirrors,
            Judge judge,
            PointedObjects large,
            Duration firstSlice,
            WaitTalk.Pace pace) {
        this.pace = pace;
        this.large = large;
        this.work = work;
        this.mirrors = mirrors;
        this.judge = judge;
        this.copies = new CopyFetches(mirrors);
        this.room = new SpoolRoom(limits.spoolBytesTotalMax());
        this.places = new JudgePlaces(limits, firstSlice);
        this.earlySeats = new Semaphore(limits.judgementsTotalMax());
    }

    PushSpool spool(SessionId session, EventLoop loop, Spool.Events events) {
        Path directory = work.resolve("push-" + pushes.incrementAndGet());
        return PushSpool.in(directory, room, session, loop, events);
    }

    /// Nothing happens before something of the pack is there.
    EarlyReading early(GitPermit push, PushSpool spool, EventLoop loop) {
        return new EarlyReading(
                new EarlyReading.Terms(this, queue, places, earlySeats), push, spool, loop);
    }

    PackReading read(GitPermit push, PushSpool spool) throws IOException {
        return judge.reading(push.push(), spool.pack());
    }

    /// Memory for the requests of fetches.
    SpoolRoom requests() {
        return requests;
    }

    /// Answers fetches from the same copies.
    CopyFetches copies() {
        return copies;
    }

    WaitTalk.Pace pace() {
        return pace;
    }

    /// How many places are taken by judgements.
    public int judgements() {
        return places.taken();
    }

    public int judgementsMax() {
        return places.max();
    }

    /// How many wait for one, or for what their sandbox sent before.
    public int waiting() {
        return Math.max(0, queue.size() - places.taken());
    }

    /// The result comes on a worker's thread, once, whatever happens; after it nobody reads the
    /// spool any more.
    JudgeQueue.Turn submit(Matter matter, Consumer<Result> result) {
        return queue.submit(
                matter.push().session(),
                () -> {
                    Result outcome = new Result.NotJudged(Refusal.INTERNAL);
                    try {
                        outcome = judge(matter);
                    } finally {
                        matter.early().close();
                        result.accept(outcome);
                    }
                });
    }

    /// Whether a session that sees only some refs may have these objects.
    JudgeQueue.Turn submit(
            GitPermit fetch,
            CredentialBook credentials,
            FetchRequest request,
            Progress progress,
            Consumer<Wants> result) {
        return queue.submit(
                fetch.session(),
                () -> {
                    Wants outcome = new Wants.NotChecked(Refusal.INTERNAL);
                    try {
                        outcome = check(fetch, credentials, request, progress);
                    } finally {
                        result.accept(outcome);
                    }
                });
    }

    private Wants check(
            GitPermit fetch, CredentialBook credentials, FetchRequest request, Progress progress) {
        try (Mirror copy = mirrors.refresh(fetch, credentials, progress)) {
            if (!walks.tryAcquire(WALK_WAIT_SECONDS_MAX, TimeUnit.SECONDS)) {
                return new Wants.NotChecked(Refusal.GATEWAY_BUSY);
            }
            try {
                return check(copy, request);
            } finally {
                walks.release();
            }
        } catch (MirrorException e) {
            LOG.log(System.Logger.Level.WARNING, "a fetch cannot be checked", e);
            return new Wants.NotChecked(e.failure());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Wants.NotChecked(Refusal.SESSION_ENDED);
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a fetch could not be checked", e);
            return new Wants.NotChecked(trouble(e));
        }
    }

    private Refusal trouble(Exception e) {
        return DiskFullException.isCause(e, work) ? Refusal.DISK_FULL : Refusal.INTERNAL;
    }

    private static Wants check(Mirror copy, FetchRequest request) throws IOException {
        Set<ObjectName> ids = new HashSet<>(request.wants());
        ids.addAll(request.claims());
        Set<ObjectName> reached = copy.reached(ids);
        for (ObjectName want : request.wants()) {
            if (!reached.contains(want)) {
                return new Wants.Unknown(want);
            }
        }
        return new Wants.Reachable(reached);
    }

    private Result judge(Matter matter) {
        try {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            for (int attempt = 1; attempt < ATTEMPTS_MAX; attempt++) {
                try {
                    return judgeOnce(matter);
                } catch (MirrorTroubleException e) {
                    LOG.log(System.Logger.Level.WARNING, "a copy is made anew", e);
                }
            }
            return judgeOnce(matter);
        } catch (MirrorException e) {
            LOG.log(System.Logger.Level.WARNING, "a push cannot be judged", e);
            return new Result.NotJudged(e.failure());
        } catch (MirrorTroubleException e) {
            LOG.log(System.Logger.Level.ERROR, "a copy is damaged again", e);
            return new Result.NotJudged(Refusal.MIRROR_UNAVAILABLE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Result.NotJudged(Refusal.SESSION_ENDED);
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a push could not be judged", e);
            return new Result.NotJudged(trouble(e));
        }
    }

    private Result judgeOnce(Matter matter)
            throws MirrorException, IOException, InterruptedException {
        Progress progress = matter.talk().copying(matter.fetch().repo());
        Mirror copy = mirrors.refresh(matter.fetch().trustedOnly(), matter.credentials(), progress);
        matter.talk().waiting();
        copies.pushed(matter.fetch());
        boolean lent = false;
        try {
            long packBytes = matter.spool().body().bytes();
            Verdict verdict =
                    places.run(
                            packBytes,
                            matter.spool().body()::isAlone,
                            slice -> judge(matter, copy, slice));
            Result result = asking(matter, checked(matter, verdict, copy));
            lent = result.copy() != null;
            return result;
        } catch (MirrorTroubleException e) {
            copy.distrust();
            throw e;
        } finally {
            if (!lent) {
                copy.close();
            }
        }
    }

    /// What is new points to nothing that upstream lacks; asked after judging, so that nobody else
    /// waits for upstream's answer.
    private Result checked(Matter matter, Verdict verdict, Mirror copy)
            throws InterruptedException {
        if (!(verdict instanceof Verdict.Accepted(var _, List<LfsPointer> pointers, var _))
                || pointers.isEmpty()) {
            return new Result.Judged(verdict, copy, Optional.empty());
        }
        try {
            matter.talk().at("asking for " + pointers.size() + " large files");
            List<LfsPointer> missing =
                    large.missing(matter.fetch(), matter.credentials(), pointers);
            return new Result.Judged(
                    missing.isEmpty() ? verdict : refused(matter, missing), copy, Optional.empty());
        } catch (PointedObjects.UnknownException e) {
            return new Result.NotJudged(e.failure());
        }
    }

    /// With what a person is to be asked, made here because it takes time.
    private static Result asking(Matter matter, Result result) throws IOException {
        if (!(result instanceof Result.Judged(Verdict.Accepted accepted, Mirror copy, var _))) {
            return result;
        }
        try {
            return new Result.Judged(
                    accepted, copy, PushQuestion.of(matter, accepted, pushCase(matter, copy)));
        } catch (RefusedException e) {
            return new Result.NotJudged(e.refusal());
        }
    }

    private static Verdict refused(Matter matter, List<LfsPointer> missing) {
        List<Objection> objections = new ArrayList<>();
        for (RefUpdate update : matter.commands().updates()) {
            for (LfsPointer pointer : missing.subList(0, Math.min(MISSING_TOLD, missing.size()))) {
                if (!update.isDelete()) {
                    String detail = "object " + pointer.oid() + ", " + pointer.place();
                    objections.add(new Objection(update.ref(), Refusal.LFS_OBJECT_MISSING, detail));
                }
            }
        }
        return new Verdict.Refused(objections);
    }

    private Verdict judge(Matter matter, Mirror copy, Slice slice)
            throws IOException, InterruptedException, Slice.OverException {
        matter.spool().emptyQuarantine();
        matter.talk().at("judging the push");
        try (PackReading early = matter.early().take()) {
            return judge.judge(pushCase(matter, copy), early, slice);
        }
    }

    private static PushCase pushCase(Matter matter, Mirror copy) {
        return new PushCase(
                matter.push().push(),
                matter.commands().updates(),
                copy.refs(),
                copy.shallow(),
                copy.objects(),
                matter.commands().needsPack()
                        ? Optional.of(matter.spool().pack())
                        : Optional.empty(),
                matter.spool().quarantine());
    }

    @Override
    public void close() {
        queue.close();
        copies.close();
        mirrors.close();
    }
}
