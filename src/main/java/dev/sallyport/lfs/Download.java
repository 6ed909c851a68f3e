package dev.sallyport.lfs;

import dev.sallyport.http.RequestHandler;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.AnswerFilter;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.Outlet;
import dev.sallyport.relay.PieceQueue;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.Relay;
import dev.sallyport.relay.SessionAccount;
import dev.sallyport.relay.Stage;
import dev.sallyport.relay.StorePlace;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Failure;
import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// An object, or the rest of one, on its way to the sandbox. A store that sends on to another one
/// is followed once, without any credential.
final class Download implements Stage, Outlet {
    private final LfsCase matter;
    private final Action action;
    private final Optional<ByteRange> range;
    private SizedAnswer bytes = new SizedAnswer();
    private Relay relay;
    private boolean redirected;
    private boolean begun;
    private @Nullable StorePlace elsewhere;
    private @Nullable Failure failure;

    private Download(LfsCase matter, Action action) {
        this.matter = matter;
        this.action = action;
        this.range =
                matter.ask()
                        .head()
                        .field("range")
                        .flatMap(value -> ByteRange.parse(value, action.object().size()));
        this.relay = relay(action);
    }

    static RequestHandler open(LfsCase matter, Action action) {
        return matter.ask()
                .serve(
                        new Download(matter, action),
                        matter.record(Action.Verb.DOWNLOAD, action, Optional.empty()));
    }

    private Relay relay(Action from) {
        Map<String, String> fields = new HashMap<>();
        fields.put("accept", "*/*");
        range.ifPresent(part -> fields.put("range", part.wanted()));
        return new Relay(
                matter.ask().responder(),
                events -> Relay.found(matter.call(matter.order("GET", from, fields, 0), events)),
                new PieceQueue(0),
                bytes,
                this,
                new SessionAccount(matter.shared().usage(), matter.permit().session()),
                matter::holds);
    }

    @Override
    public void start() {
        relay.start();
    }

    @Override
    public void unrecorded(Ask ask, Refusal reason) {
        relay.unrecorded(ask, reason);
    }

    @Override
    public void begin(AnswerHead head, OptionalLong length) throws RefusedException {
        boolean part = head.status() == 206 && range.isPresent();
        if (head.status() != 200 && !part) {
            throw otherwise(head);
        }
        long size = action.object().size();
        long expected = part ? range.orElseThrow().bytes() : size;
        boolean fits = !part || range.orElseThrow().isIn(head, size);
        if (!fits
                || !head.values("content-encoding").isEmpty()
                || length.orElse(expected) != expected) {
            throw new RefusedException(Refusal.UPSTREAM_MISBEHAVED, "another object");
        }
        bytes.expect(expected);
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("content-type", "application/octet-stream");
        fields.put("accept-ranges", "bytes");
        if (part) {
            fields.put("content-range", range.orElseThrow().content(size));
        }
        begun = true;
        matter.ask().responder().start(head.status(), fields, OptionalLong.of(expected));
    }

    private RefusedException otherwise(AnswerHead head) {
        boolean moved = head.status() > 300 && head.status() < 309 && head.status() != 304;
        if (moved && !redirected) {
            elsewhere = head.one("location").flatMap(StorePlace::parse).orElse(null);
        }
        failure = LfsCase.storeFailure(head);
        return new RefusedException(failure.reason(), "no object");
    }

    @Override
    public void write(ByteBuf piece) {
        matter.ask().responder().write(piece);
    }

    @Override
    public void complete() {
        matter.ask().responder().end();
    }

    @Override
    public void failed(Failure why) {
        if (elsewhere == null) {
            matter.shared().actions().forget(matter.permit(), Action.Verb.DOWNLOAD, oid());
            matter.shared().audit().failed(matter.ask(), told(why), oid().hex());
        }
    }

    private Oid oid() {
        return action.object().oid();
    }

    private Failure told(Failure why) {
        return failure == null ? why : failure;
    }

    @Override
    public void refuse(Failure why) {
        if (elsewhere != null) {
            follow(elsewhere);
        } else if (begun) {
            // A part must not look like the whole.
            matter.ask().responder().cut();
        } else {
            matter.refuse(told(why));
        }
    }

    private void follow(StorePlace place) {
        redirected = true;
        elsewhere = null;
        failure = null;
        bytes = new SizedAnswer();
        try {
            EgressPermit store = matter.store(place);
            Action next = new Action(action.object(), place, false, Map.of(), action.seconds());
            relay = relay(next);
            matter.shared()
                    .audit()
                    .followed(matter.ask(), store.host(), relay::start, this::refuse);
        } catch (RefusedException e) {
            failed(Failure.of(e.refusal()));
            refuse(Failure.of(e.refusal()));
        }
    }

    private void refuse(Refusal reason) {
        relay.abort(reason);
        matter.refuse(Failure.of(reason));
    }

    @Override
    public void body(ByteBuf piece) {
        relay.body(piece);
    }

    @Override
    public void end() {
        relay.end();
    }

    @Override
    public void abort(Refusal reason) {
        relay.abort(reason);
    }

    @Override
    public void writabilityChanged(boolean writable) {
        relay.writabilityChanged(writable);
    }

    /// A part of an object, both ends included (RFC 9110, section 14).
    private record ByteRange(long from, long to) {
        private static final Pattern FORM = Pattern.compile("bytes=([0-9]{1,18})-([0-9]{1,18})?");

        /// Empty when it is not one of this object; then the whole is answered, as the RFC says.
        static Optional<ByteRange> parse(String value, long size) {
            Matcher form = FORM.matcher(value);
            if (!form.matches()) {
                return Optional.empty();
            }
            long from = Long.parseLong(form.group(1));
            long to =
                    form.group(2) == null
                            ? size - 1
                            : Math.min(size - 1, Long.parseLong(form.group(2)));
            return from <= to ? Optional.of(new ByteRange(from, to)) : Optional.empty();
        }

        long bytes() {
            return to - from + 1;
        }

        String wanted() {
            return "bytes=" + from + "-" + to;
        }

        String content(long size) {
            return "bytes " + from + "-" + to + "/" + size;
        }

        /// Whether an answer has just this part.
        boolean isIn(AnswerHead head, long size) {
            String value = head.one("content-range").orElse("");
            return value.equals(content(size)) || value.equals("bytes " + from + "-" + to + "/*");
        }
    }

    /// Lets exactly as many bytes through as were announced, however the store frames them.
    private static final class SizedAnswer implements AnswerFilter {
        private long bytesLeft;

        void expect(long bytes) {
            bytesLeft = bytes;
        }

        @Override
        public void accept(ByteBuf piece, Consumer<ByteBuf> out) throws RefusedException {
            bytesLeft -= piece.readableBytes();
            if (bytesLeft < 0) {
                piece.release();
                throw new RefusedException(Refusal.UPSTREAM_MISBEHAVED, "more than was announced");
            }
            out.accept(piece);
        }

        @Override
        public void finish() throws RefusedException {
            if (bytesLeft > 0) {
                throw new RefusedException(Refusal.UPSTREAM_MISBEHAVED, "less than was announced");
            }
        }

        @Override
        public boolean keepsLength() {
            return true;
        }
    }
}
