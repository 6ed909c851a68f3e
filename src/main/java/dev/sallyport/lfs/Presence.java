package dev.sallyport.lfs;

import dev.sallyport.audit.Recorder;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.git.PointedObjects;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import dev.sallyport.push.LfsPointer;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.Failure;
import dev.sallyport.upstream.LfsOrder;
import dev.sallyport.upstream.Room;
import dev.sallyport.upstream.WholeCall;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Asks the git host which objects it has, as somebody who wants to download them would. What it
/// had a short while ago it is not asked for again.
public final class Presence implements PointedObjects {
    private static final int OBJECTS_PER_BATCH = 200;
    private static final int SECONDS_MAX = 60;
    private static final int KNOWN_MAX = 20_000;
    private static final long KNOWN_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long ANSWER_BYTES_TOTAL_MAX = 32L << 20;

    private record Known(SessionId session, String repo, String oid) {}

    private final Client upstream;
    private final LfsAudit audit;
    private final EventLoopGroup loops;
    private final Room room = Room.of(ANSWER_BYTES_TOTAL_MAX);
    private final Map<Known, Long> known =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Known, Long> eldest) {
                    return size() > KNOWN_MAX;
                }
            };

    public Presence(Client upstream, Recorder recorder, EventLoopGroup loops) {
        this.upstream = upstream;
        this.audit = new LfsAudit(recorder);
        this.loops = loops;
    }

    @Override
    public List<LfsPointer> missing(
            GitPermit fetch, CredentialBook credentials, List<LfsPointer> pointers)
            throws UnknownException, InterruptedException {
        List<LfsPointer> open =
                pointers.stream().filter(pointer -> !isKnown(fetch, pointer.oid())).toList();
        if (open.isEmpty()) {
            return List.of();
        }
        requireRecord(audit.presence(fetch.session().value(), fetch.repo(), open.size()));
        List<LfsPointer> missing = new ArrayList<>();
        for (int from = 0; from < open.size(); from += OBJECTS_PER_BATCH) {
            int to = Math.min(open.size(), from + OBJECTS_PER_BATCH);
            missing.addAll(ask(fetch, credentials, open.subList(from, to)));
        }
        return missing;
    }

    private static void requireRecord(CompletableFuture<Void> record)
            throws UnknownException, InterruptedException {
        try {
            record.get();
        } catch (ExecutionException e) {
            throw new UnknownException(Failure.of(Recorder.refusal(e)));
        }
    }

    private List<LfsPointer> ask(
            GitPermit fetch, CredentialBook credentials, List<LfsPointer> pointers)
            throws UnknownException, InterruptedException {
        BatchRequest batch =
                new BatchRequest(
                        GitService.UPLOAD_PACK,
                        Optional.empty(),
                        pointers.stream()
                                .map(p -> new LfsObject(new Oid(p.oid()), p.size()))
                                .toList());
        Optional<BatchAnswer> answer = answer(fetch, credentials, batch);
        List<LfsPointer> missing = new ArrayList<>();
        for (LfsPointer pointer : pointers) {
            boolean there = answer.isPresent() && isThere(answer.get().of(new Oid(pointer.oid())));
            if (there) {
                know(fetch, pointer.oid());
            } else {
                missing.add(pointer);
            }
        }
        return missing;
    }

    /// Where it is kept does not matter here.
    private static boolean isThere(BatchAnswer.Result result) {
        return switch (result) {
            case BatchAnswer.Result.Failed _ -> false;
            case BatchAnswer.Result.Denied _ -> true;
            case BatchAnswer.Result.Actions(var byVerb) -> !byVerb.isEmpty();
        };
    }

    /// @return empty when the host has no large files at all
    private Optional<BatchAnswer> answer(
            GitPermit fetch, CredentialBook credentials, BatchRequest batch)
            throws UnknownException, InterruptedException {
        Answered answered = whole(fetch, credentials, batch.json());
        int status = answered.head().status();
        if (status == 404 || status == 501) {
            return Optional.empty();
        }
        if (status != 200) {
            boolean authorized = credentials.identity(fetch) != null;
            throw new UnknownException(Failure.of(answered.head(), authorized));
        }
        try {
            ActionReader places =
                    new ActionReader(fetch.host(), _ -> false, _ -> false, Instant.now());
            return Optional.of(BatchAnswer.parse(answered.body(), batch, places));
        } catch (RefusedException e) {
            throw new UnknownException(Failure.of(e.refusal()));
        }
    }

    /// A copy, since the call takes its own back.
    @SuppressWarnings("ArrayRecordComponent")
    private record Answered(AnswerHead head, byte[] body) {}

    private Answered whole(GitPermit fetch, CredentialBook credentials, byte[] question)
            throws UnknownException, InterruptedException {
        CompletableFuture<Answered> told = new CompletableFuture<>();
        EventLoop loop = loops.next();
        loop.execute(() -> begin(loop, fetch, credentials, question, told));
        try {
            return told.get(2L * SECONDS_MAX, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof UnknownException known
                    ? known
                    : new UnknownException(Failure.of(Refusal.INTERNAL));
        } catch (TimeoutException e) {
            throw new UnknownException(Failure.of(Refusal.UPSTREAM_TIMEOUT));
        } finally {
            told.cancel(false);
        }
    }

    private void begin(
            EventLoop loop,
            GitPermit fetch,
            CredentialBook credentials,
            byte[] question,
            CompletableFuture<Answered> told) {
        LfsOrder order = LfsCase.api(fetch, "POST", "objects/batch", question.length, true);
        WholeCall call =
                WholeCall.begin(
                        loop,
                        events -> upstream.call(order, credentials, loop, events),
                        question,
                        new WholeCall.Terms(BatchAnswer.BYTES_MAX, SECONDS_MAX, room),
                        () -> !told.isDone(),
                        outcome -> tell(outcome, told));
        var _ = told.whenComplete((_, _) -> loop.execute(call::close));
    }

    private static void tell(WholeCall.Outcome outcome, CompletableFuture<Answered> told) {
        switch (outcome) {
            case WholeCall.Outcome.Answered(AnswerHead head, byte[] body) ->
                    told.complete(new Answered(head, body.clone()));
            case WholeCall.Outcome.Failed(Failure failure, var _, var _) ->
                    told.completeExceptionally(new UnknownException(failure));
        }
    }

    private synchronized boolean isKnown(GitPermit fetch, String oid) {
        Long since = known.get(new Known(fetch.session(), fetch.repo().key(), oid));
        return since != null && System.nanoTime() - since < KNOWN_NANOS;
    }

    private synchronized void know(GitPermit fetch, String oid) {
        known.put(new Known(fetch.session(), fetch.repo().key(), oid), System.nanoTime());
    }
}
