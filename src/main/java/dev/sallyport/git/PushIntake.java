package dev.sallyport.git;

import dev.sallyport.audit.Recorder;
import dev.sallyport.config.Limits;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.BodySource;
import dev.sallyport.relay.PieceQueue;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.Relay;
import dev.sallyport.relay.Stage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Takes a push up to the point where it is known what it wants, and judges that. Until then
/// nothing goes upstream.
///
/// ```
/// READING --flush, no command--> PROBED   (upstream answers it)
///         --flush, denied-----> DENIED   (drains the pack, then reports)
///         --flush + "PACK"----> GRANTED  (a judged push has taken over)
///         --anything else-----> OVER     (refused)
/// ```
final class PushIntake implements Stage {
    private static final byte[] SIGNATURE = "PACK".getBytes(StandardCharsets.US_ASCII);

    private enum State {
        READING,
        PROBED,
        DENIED,
        GRANTED,
        OVER
    }

    private final Surroundings surroundings;
    private final PushJudging judging;
    private final Limits.Git limits;
    private final Ask ask;
    private final GitPermit permit;
    private final PushCommandParser parser;
    private final BodySource source;
    private State state = State.READING;
    private @Nullable PushCommands commands;
    private @Nullable Stage successor;
    private Optional<Refusal> unrecorded = Optional.empty();
    private List<JudgedUpdate> judged = List.of();
    private boolean recorded;
    private boolean ended;
    private long discardable;

    PushIntake(
            Surroundings surroundings,
            PushJudging judging,
            Limits.Git limits,
            Ask ask,
            GitPermit permit) {
        this.surroundings = surroundings;
        this.judging = judging;
        this.limits = limits;
        this.ask = ask;
        this.permit = permit;
        this.parser = new PushCommandParser(limits, PushOptions.areOffered(permit));
        this.source = CallForm.source(ask.head(), permit, limits);
        this.discardable = limits.packBytesMax(permit.push());
    }

    @Override
    public void start() {
        if (state != State.OVER) {
            ask.responder().proceed();
            ask.responder().resumeBody();
        }
    }

    /// git prints no refusal in HTTP of a push. So its commands are read, and each is denied in
    /// git's own report; nothing goes upstream.
    @Override
    public void unrecorded(Ask asked, Refusal reason) {
        if (state != State.OVER) {
            surroundings.audit().failed(ask, reason);
            unrecorded = Optional.of(reason);
            start();
        }
    }

    @Override
    public void body(ByteBuf piece) {
        switch (state) {
            case READING, PROBED -> pull(() -> source.offer(piece));
            case GRANTED -> granted().body(piece);
            case DENIED -> discard(piece);
            case OVER -> piece.release();
        }
    }

    /// Reads what the source has then, as far as it is for this stage.
    private void pull(BodySource.Step step) {
        try {
            step.run();
            while (state == State.READING || state == State.PROBED) {
                ByteBuf next = source.poll();
                if (next == null) {
                    return;
                }
                read(next);
            }
        } catch (RefusedException e) {
            refuse(e.refusal());
        }
    }

    private void read(ByteBuf piece) throws RefusedException {
        if (state == State.PROBED) {
            nothingAfterProbe(piece);
        } else if (commands == null) {
            Optional<PushCommands> complete = parser.accept(piece);
            if (complete.isPresent()) {
                commands = judged(complete.get());
                next(commands);
            }
        } else {
            parser.rest().offer(piece);
            next(commands);
        }
    }

    /// Every command by its name; if nothing stands against those, the options for all of them.
    private PushCommands judged(PushCommands list) {
        if (unrecorded.isPresent()) {
            judged = list.judgedAs(unrecorded.get());
            return list;
        }
        judged = list.judgedByName(permit);
        if (judged.stream().anyMatch(update -> !update.objections().isEmpty())) {
            return list;
        }
        try {
            PushOptions options = new PushOptions(permit, surroundings.proposals());
            return list.withOptions(options.judge(list.options(), list.updates()));
        } catch (PushOptions.ObjectionException e) {
            judged = JudgedUpdate.all(list.updates(), Refusal.PUSH_OPTION_NOT_ALLOWED, e.told());
            return list;
        }
    }

    private static void nothingAfterProbe(ByteBuf piece) throws RefusedException {
        boolean more = piece.isReadable();
        piece.release();
        if (more) {
            throw new RefusedException(Refusal.MALFORMED_PUSH, "nothing follows a probe");
        }
    }

    /// Leaves READING as soon as the bytes behind the list allow it.
    private void next(PushCommands list) throws RefusedException {
        if (list.isProbe()) {
            state = State.PROBED;
            nothingAfterProbe(parser.rest().rest());
        } else if (judged.stream().anyMatch(update -> !update.objections().isEmpty())) {
            state = State.DENIED;
            source.release();
            if (unrecorded.isPresent()) {
                recorded = true;
            } else {
                record(list);
            }
            discard(parser.rest().rest());
        } else if (!list.needsPack() || parser.rest().heldBytes() >= SIGNATURE.length) {
            grant(list, parser.rest().rest());
        }
    }

    private void grant(PushCommands list, ByteBuf rest) throws RefusedException {
        if (list.needsPack() && !startsWithSignature(rest)) {
            rest.release();
            throw new RefusedException(Refusal.MALFORMED_PUSH, "a pack follows the commands");
        }
        JudgedPush push =
                new JudgedPush(
                        surroundings,
                        judging,
                        new JudgedPush.Subject(ask, permit, list),
                        source,
                        limits.packBytesMax(permit.push()));
        successor = push;
        state = State.GRANTED;
        push.begin(rest);
    }

    /// The probe is the same for every repository and changes nothing, so upstream tells the
    /// sandbox whether it would take a push at all. When it cannot be recorded, the push that
    /// follows is told so.
    private void probe() {
        if (unrecorded.isPresent()) {
            answer(Unpooled.EMPTY_BUFFER);
            return;
        }
        state = State.GRANTED;
        ByteBuf flush = Unpooled.buffer(PktLine.LENGTH_BYTES);
        PktLine.writeFlush(flush);
        Relay relay =
                surroundings.relay(
                        ask,
                        GitWire.push(ask, permit, PktLine.LENGTH_BYTES),
                        new PieceQueue(PktLine.LENGTH_BYTES),
                        new ReportScrubber(false, new UpstreamReport()),
                        new GitOutlet(
                                surroundings.audit(),
                                ask,
                                GitWire.resultType(GitService.RECEIVE_PACK)));
        successor = relay;
        relay.body(flush);
        relay.end();
        relay.start();
    }

    private static boolean startsWithSignature(ByteBuf rest) {
        byte[] first = new byte[SIGNATURE.length];
        rest.getBytes(rest.readerIndex(), first);
        return Arrays.equals(first, SIGNATURE);
    }

    private void record(PushCommands list) {
        Recorder.then(
                surroundings.audit().push(ask, permit, judged, Map.of()),
                ask.responder().loop(),
                problem -> recorded(list, problem));
    }

    private void recorded(PushCommands list, Optional<Refusal> problem) {
        if (state == State.OVER) {
            return;
        }
        problem.ifPresent(
                reason -> {
                    surroundings.audit().failed(ask, reason);
                    judged = list.judgedAs(reason);
                });
        recorded = true;
        if (ended) {
            report();
        }
    }

    /// git reads the report only after it has sent the whole pack, so the rest is taken in first.
    private void discard(ByteBuf piece) {
        discardable -= piece.readableBytes();
        piece.release();
        if (discardable < 0) {
            refuse(Refusal.BODY_TOO_LARGE);
        }
    }

    @Override
    public void end() {
        ended = true;
        if (state == State.READING || state == State.PROBED) {
            pull(source::finish);
        }
        switch (state) {
            case READING -> refuse(Refusal.MALFORMED_PUSH);
            case PROBED -> probe();
            case DENIED -> {
                if (recorded) {
                    report();
                }
            }
            case GRANTED -> granted().end();
            case OVER -> {}
        }
    }

    private void report() {
        boolean sideband = commands != null && commands.sideband();
        ByteBuf refused = PushReport.refused(permit, judged, PushReport.DENIED, sideband, ask.id());
        answer(
                sideband
                        ? Unpooled.wrappedBuffer(PushReport.lines(ask.session().notices()), refused)
                        : refused);
    }

    private void answer(ByteBuf content) {
        state = State.OVER;
        String type = GitWire.resultType(GitService.RECEIVE_PACK);
        ask.responder().answer(200, GitWire.answerFields(type), content);
    }

    private void refuse(Refusal reason) {
        close(reason);
        surroundings.audit().failed(ask, reason);
        ask.refuse(reason);
    }

    @Override
    public void abort(Refusal reason) {
        if (state == State.OVER) {
            return;
        }
        if (successor == null) {
            surroundings.audit().failed(ask, reason);
        }
        close(reason);
    }

    private void close(Refusal reason) {
        state = State.OVER;
        parser.release();
        if (successor == null) {
            source.release();
        } else {
            successor.abort(reason);
        }
    }

    @Override
    public void writabilityChanged(boolean writable) {
        if (successor != null) {
            successor.writabilityChanged(writable);
        }
    }

    private Stage granted() {
        if (successor == null) {
            throw new IllegalStateException("GRANTED means that another stage has taken over");
        }
        return successor;
    }
}
