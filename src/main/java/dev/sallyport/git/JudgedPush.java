package dev.sallyport.git;

import dev.sallyport.mirror.Mirror;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.Refusal;
import dev.sallyport.push.Verdict;
import dev.sallyport.session.Usage;
import dev.sallyport.upstream.Failure;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A push whose refs are granted by name: its pack is put on disk, judged, and only then sent.
///
/// ```
/// SPOOLING --end of body--> JUDGING --verdict--> RECORDING --allowed--> FORWARDING --report--> OVER
///     |                        |                     +----denied: reported-------------------> OVER
///     +------------------------+--- refused, aborted ----------------------------------------> OVER
/// ```
final class JudgedPush implements Stage, PushSpool.Events, Outlet {
    private enum State {
        SPOOLING,
        JUDGING,
        RECORDING,
        FORWARDING,
        OVER
    }

    /// How often somebody who waits is told that there is something to wait for.
    private static final int TICK_SECONDS = 5;

    private final Relay.Surroundings surroundings;
    private final PushJudging judging;
    private final Ask ask;
    private final GitPermit permit;
    private final PushCommands commands;
    private final BodySource source;
    private final long packBytesMax;
    private final PushSpool spool;
    private final UpstreamReport upstreamReport = new UpstreamReport();
    private State state = State.SPOOLING;
    private boolean answering;
    private long lastSaid;
    private JudgeQueue.@Nullable Turn turn;
    private @Nullable Future<?> ticks;
    private @Nullable Relay relay;
    private @Nullable Mirror copy;

    /// What is pushed, by whom and with what right.
    record Subject(Ask ask, GitPermit permit, PushCommands commands) {}

    /// @param source of the pack; released here
    JudgedPush(
            Relay.Surroundings surroundings,
            PushJudging judging,
            Subject subject,
            BodySource source,
            long packBytesMax) {
        this.surroundings = surroundings;
        this.judging = judging;
        this.ask = subject.ask();
        this.permit = subject.permit();
        this.commands = subject.commands();
        this.source = source;
        this.packBytesMax = packBytesMax;
        this.spool = judging.spool(permit.session(), ask.responder().loop(), this);
    }

    @Override
    public void start() {}

    /// @param rest what was read of the pack already
    void begin(ByteBuf rest) {
        pump(() -> append(rest));
    }

    @Override
    public void body(ByteBuf piece) {
        if (state == State.SPOOLING) {
            pump(() -> source.offer(piece));
        } else {
            piece.release();
        }
    }

    private void pump(BodySource.Step step) {
        if (state != State.SPOOLING) {
            return;
        }
        try {
            step.run();
            pump();
        } catch (RefusedException e) {
            refuseRequest(e.refusal());
        }
    }

    /// Moves what the disk can take now; a compressed pack is inflated no faster than that.
    private void pump() throws RefusedException {
        ByteBuf next = null;
        while (!spool.isFull() && (next = source.poll()) != null) {
            append(next);
        }
        if (source.isDone()) {
            spool.finish();
        } else if (spool.isFull()) {
            ask.responder().pauseBody();
        } else {
            ask.responder().resumeBody();
        }
    }

    private void append(ByteBuf piece) throws RefusedException {
        if (piece.isReadable()) {
            requireRoom(piece);
            spool.append(piece);
        } else {
            piece.release();
        }
    }

    private void requireRoom(ByteBuf piece) throws RefusedException {
        boolean tooLarge = spool.bytes() + piece.readableBytes() > packBytesMax;
        if (tooLarge || !commands.needsPack()) {
            piece.release();
            throw tooLarge
                    ? new RefusedException(Refusal.BODY_TOO_LARGE, "the pack is too large")
                    : new RefusedException(Refusal.MALFORMED_PUSH, "a push of deletes has no pack");
        }
    }

    @Override
    public void drained() {
        pump(() -> {});
    }

    @Override
    public void failed(Refusal reason) {
        if (state == State.SPOOLING) {
            judged(new PushJudging.Result.NotJudged(reason));
        }
    }

    /// While the sandbox still sends, only HTTP can tell it.
    private void refuseRequest(Refusal reason) {
        abort(reason);
        ask.refuse(reason);
    }

    @Override
    public void end() {
        pump(source::finish);
    }

    @Override
    public void spooled() {
        if (state != State.SPOOLING) {
            return;
        }
        state = State.JUDGING;
        source.release();
        lastSaid = System.nanoTime();
        ticks =
                ask.responder()
                        .loop()
                        .scheduleAtFixedRate(
                                () -> progress("still judging the push"),
                                TICK_SECONDS,
                                TICK_SECONDS,
                                TimeUnit.SECONDS);
        switch (ask.session().policy().decide(permit.repo(), GitService.UPLOAD_PACK)) {
            case Decision.Allow(GitPermit fetch) ->
                    turn = judging.submit(matter(fetch), this::result);
            case Decision.Deny(Refusal reason) -> judged(new PushJudging.Result.NotJudged(reason));
        }
    }

    private PushJudging.Matter matter(GitPermit fetch) {
        return new PushJudging.Matter(
                permit,
                fetch,
                ask.session().credentials(),
                commands,
                spool,
                text -> ask.responder().loop().execute(() -> progress(text)));
    }

    /// git asks for quiet whenever it does not draw on a terminal, above all for agents. They are
    /// told too, but seldom: a push that seems to hang is given up.
    private void progress(String text) {
        boolean quiet = commands.capabilities().contains("quiet");
        boolean due = System.nanoTime() - lastSaid >= TimeUnit.SECONDS.toNanos(TICK_SECONDS);
        if (state == State.JUDGING && commands.sideband() && isWritable() && (!quiet || due)) {
            lastSaid = System.nanoTime();
            say(text);
        }
    }

    private void say(String text) {
        begin(OptionalLong.empty());
        write(PushReport.line(text));
    }

    /// From a worker's thread.
    private void result(PushJudging.Result result) {
        ask.responder().loop().execute(() -> judged(result));
    }

    private void judged(PushJudging.Result result) {
        if (ticks != null) {
            ticks.cancel(false);
        }
        switch (result) {
            case PushJudging.Result.NotJudged(Failure failure) ->
                    deny(JudgedUpdate.all(commands.updates(), failure));
            case PushJudging.Result.Judged(Verdict verdict, Mirror lent) -> {
                copy = lent;
                switch (verdict) {
                    case Verdict.Refused(var objections) ->
                            deny(JudgedUpdate.byContent(commands.updates(), objections));
                    case Verdict.Accepted(var warnings) -> allow(warnings);
                }
            }
        }
    }

    private void deny(List<JudgedUpdate> judged) {
        if (state == State.OVER) {
            release();
            return;
        }
        state = State.RECORDING;
        record(judged, () -> report(judged));
    }

    private void allow(List<String> warnings) {
        if (state == State.OVER) {
            release();
            return;
        }
        state = State.RECORDING;
        if (commands.sideband()) {
            warnings.forEach(this::say);
        }
        record(JudgedUpdate.byContent(commands.updates(), List.of()), this::forward);
    }

    private void record(List<JudgedUpdate> judged, Runnable next) {
        GitAudit.then(
                surroundings.audit().push(ask, permit, judged),
                ask.responder().loop(),
                unrecorded -> {
                    if (state == State.OVER) {
                        return;
                    }
                    if (unrecorded.isEmpty()) {
                        next.run();
                    } else {
                        report(JudgedUpdate.all(commands.updates(), unrecorded.get()));
                    }
                });
    }

    private void report(List<JudgedUpdate> judged) {
        report(judged, PushReport.DENIED);
    }

    private void report(List<JudgedUpdate> judged, String outcome) {
        begin(OptionalLong.empty());
        write(PushReport.refused(permit, judged, outcome, commands.sideband(), ask.id()));
        state = State.OVER;
        ask.responder().end();
        release();
    }

    private void forward() {
        state = State.FORWARDING;
        ByteBuf list = commands.serialise();
        long bytes = list.readableBytes() + spool.bytes();
        SpoolBody body = new SpoolBody(list, spool.pack(), spool.bytes(), ask.responder().loop());
        Relay carrier =
                new Relay(
                        surroundings,
                        ask,
                        GitWire.push(ask, permit, bytes),
                        body,
                        new ReportScrubber(commands.sideband(), upstreamReport),
                        this);
        relay = carrier;
        body.onMore(carrier::more);
        carrier.start();
    }

    @Override
    public void begin(OptionalLong length) {
        if (!answering) {
            answering = true;
            String type = GitWire.resultType(GitService.RECEIVE_PACK);
            ask.responder().start(200, GitWire.answerFields(type), OptionalLong.empty());
            if (commands.sideband()) {
                write(PushReport.lines(ask.session().notices()));
            }
        }
    }

    @Override
    public void write(ByteBuf piece) {
        ask.responder().write(piece);
    }

    @Override
    public boolean isWritable() {
        return ask.responder().isWritable();
    }

    @Override
    public void complete() {
        state = State.OVER;
        // Counted before git hears of it, so that the next push finds the count.
        if (upstreamReport.tookAny()) {
            surroundings.usage().used(permit.session(), Usage.ONE_PUSH);
        }
        ask.responder().end();
        surroundings.audit().outcome(ask, permit, upstreamReport);
        Mirror lent = copy;
        if (lent != null && upstreamReport.tookAll(commands.updates().size())) {
            copy = null;
            Thread.startVirtualThread(() -> join(lent));
        } else {
            release();
        }
    }

    private void join(Mirror lent) {
        try (lent) {
            spool.join(lent);
        } finally {
            ask.responder().loop().execute(spool::close);
        }
    }

    /// Unless upstream said no, it failed while the push was on its way: whether it took it is not
    /// known, so nothing is reported as refused.
    @Override
    public void refuse(Failure failure) {
        if (failure.isRefusedUpstream()) {
            report(JudgedUpdate.all(commands.updates(), failure), PushReport.REFUSED_UPSTREAM);
            return;
        }
        state = State.OVER;
        if (commands.sideband()) {
            // git prints what is in the side band, and nothing of a refusal in HTTP.
            say(PushReport.unclear(failure));
        }
        ask.refuse(failure);
        release();
    }

    @Override
    public void abort(Refusal reason) {
        if (state == State.OVER) {
            return;
        }
        boolean judgesStill = state == State.JUDGING;
        source.release();
        state = State.OVER;
        if (relay == null) {
            surroundings.audit().failed(ask, reason);
        } else {
            relay.abort(reason);
        }
        if (judgesStill && turn != null) {
            turn.cancel();
        } else {
            release();
        }
    }

    private void release() {
        spool.close();
        Mirror lent = copy;
        if (lent != null) {
            copy = null;
            Thread.startVirtualThread(lent::close);
        }
    }

    @Override
    public void writabilityChanged(boolean writable) {
        if (relay != null) {
            relay.writabilityChanged(writable);
        }
    }
}
