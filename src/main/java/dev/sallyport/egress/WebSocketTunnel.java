package dev.sallyport.egress;

import dev.sallyport.credential.EchoException;
import dev.sallyport.credential.EchoGuard;
import dev.sallyport.http.Successor;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Injection;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.RightsWatch;
import dev.sallyport.relay.Tunnel;
import dev.sallyport.session.LiveSession;
import dev.sallyport.upstream.WebOrder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A WebSocket after its handshake. The host is there first; the sandbox's connection has yet to
/// leave HTTP, which it does soon or never.
final class WebSocketTunnel implements Tunnel.Grounds, Successor {
    private static final int TAKE_SECONDS_MAX = 10;

    private final WebTerms terms;
    private final Ask ask;
    private final WebOrder order;
    private final RightsWatch rights;
    private final EgressUse use;
    private final Optional<WebSocketGuard> guard;
    private final Channel up;
    private ByteBuf early = Unpooled.EMPTY_BUFFER;
    private @Nullable Future<?> waiting;
    private boolean decided;

    WebSocketTunnel(
            WebTerms terms,
            Ask ask,
            WebOrder order,
            EgressUse use,
            Optional<EchoGuard> guard,
            Channel up) {
        this.terms = terms;
        this.ask = ask;
        this.order = order;
        this.rights = new RightsWatch(terms.session(), ask.session().policy());
        this.use = use;
        this.guard = guard.map(WebSocketGuard::new);
        this.up = up;
    }

    /// @param unread what the host has said; ownership passes
    void await(ByteBuf unread) {
        early = unread;
        waiting =
                up.eventLoop()
                        .schedule(() -> giveUp("not-taken"), TAKE_SECONDS_MAX, TimeUnit.SECONDS);
        up.closeFuture().addListener(_ -> giveUp("closed"));
    }

    private void giveUp(String why) {
        if (decide()) {
            use.close();
            var _ = up.close();
            ended(why, 0);
        }
    }

    private boolean decide() {
        boolean first = !decided;
        decided = true;
        Future<?> timer = waiting;
        if (first && timer != null) {
            timer.cancel(false);
        }
        return first;
    }

    /// What was read already does not come through the pipelines, where TLS may be.
    @Override
    public void take(Channel channel, ByteBuf unread) {
        if (!decide()) {
            unread.release();
            var _ = channel.close();
            return;
        }
        Tunnel tunnel = new Tunnel(use.tunnel(terms.limits()), this, channel, up);
        ByteBuf first = early;
        early = Unpooled.EMPTY_BUFFER;
        tunnel.downward().pass(first);
        channel.flush();
        tunnel.upward().pass(unread);
        up.flush();
        tunnel.downward().open();
        tunnel.upward().open();
    }

    @Override
    public ByteBuf clear(ByteBuf bytes) throws RefusedException {
        return guard.isPresent() ? guard.get().pass(bytes) : bytes;
    }

    /// The request is judged again, as a whole. The connection was made with one secret and to one
    /// place, which have to be the same as well.
    @Override
    public Optional<Refusal> objection() {
        return rights.changed().flatMap(this::objection);
    }

    private Optional<Refusal> objection(LiveSession now) {
        EgressPermit permit = order.permit();
        return switch (new WebJudge(permit, order.tls()).judge(now, ask.head())) {
            case Judgement.Denied denied -> Optional.of(denied.reason());
            case Judgement.Allowed allowed -> {
                if (!injection(allowed.permit()).equals(injection(permit))) {
                    yield Optional.of(Refusal.CREDENTIAL_NOT_ALLOWED);
                }
                yield allowed.permit().reach().equals(permit.reach())
                        ? Optional.empty()
                        : Optional.of(Refusal.ADDRESS_NOT_ALLOWED);
            }
        };
    }

    private static Optional<Injection> injection(EgressPermit permit) {
        return permit.inspection().flatMap(Inspection::injection);
    }

    @Override
    public void cut(Refusal reason) {
        terms.audit().cut(ask, order.permit(), reason);
    }

    @Override
    public void ended(String why, long seconds) {
        early.release();
        early = Unpooled.EMPTY_BUFFER;
        guard.ifPresent(WebSocketGuard::release);
        terms.audit().ended(ask, order.permit(), why, use, seconds);
    }

    /// Watches what a host says in a WebSocket for the secret that went along with the handshake.
    /// It looks at the contents of the frames (RFC 6455, section 5.2) and not at their heads, so
    /// that no secret gets through because it was cut into frames.
    ///
    /// Extensions are not offered where a secret is injected, so frames are neither compressed nor
    /// otherwise changed; one that says so is refused.
    private static final class WebSocketGuard {
        private static final int FINAL = 0x80;
        private static final int RESERVED = 0x70;
        private static final int OPCODE = 0x0f;
        private static final int CONTROL = 0x08;
        private static final int MASKED = 0x80;
        private static final int SHORT_LENGTH = 126;
        private static final int LONG_LENGTH = 127;
        private static final int CONTROL_BYTES_MAX = 125;
        private static final int HEAD_BYTES_MAX = 10;

        private final EchoGuard guard;
        private final byte[] head = new byte[HEAD_BYTES_MAX];
        private int headBytes;
        private long left;
        private boolean control;
        private boolean endsMessage;

        WebSocketGuard(EchoGuard guard) {
            this.guard = guard;
        }

        /// Takes ownership; returns what may be let through now, which may be nothing.
        ByteBuf pass(ByteBuf piece) throws RefusedException {
            try {
                return read(piece);
            } catch (EchoException _) {
                throw new RefusedException(
                        Refusal.UPSTREAM_MISBEHAVED, "the host repeats a secret");
            }
        }

        private ByteBuf read(ByteBuf piece) throws EchoException, RefusedException {
            int at = piece.readerIndex();
            int end = piece.writerIndex();
            while (at < end) {
                if (left > 0) {
                    int length = (int) Math.min(left, end - at);
                    look(piece, at, length);
                    left -= length;
                    at += length;
                } else {
                    head(piece, at++);
                }
            }
            boolean over = headBytes == 0 && left == 0;
            return guard.release(piece, over && (control || endsMessage));
        }

        /// A ping between two frames of a message is not a part of it.
        private void look(ByteBuf piece, int from, int length) throws EchoException {
            if (control) {
                guard.lookAside(piece, from, length);
            } else {
                guard.look(piece, from, length);
            }
        }

        private void head(ByteBuf piece, int at) throws RefusedException {
            head[headBytes++] = piece.getByte(at);
            guard.skip(1);
            if (headBytes < 2 || headBytes < headLength()) {
                return;
            }
            headBytes = 0;
            left = length();
            control = (head[0] & CONTROL) != 0;
            endsMessage = (head[0] & FINAL) != 0;
            if (!isWellFormed()) {
                piece.release();
                guard.release();
                throw new RefusedException(
                        Refusal.UPSTREAM_MISBEHAVED, "the host's frame is malformed");
            }
        }

        private int headLength() {
            return switch (head[1] & 0x7f) {
                case SHORT_LENGTH -> 4;
                case LONG_LENGTH -> HEAD_BYTES_MAX;
                default -> 2;
            };
        }

        private long length() {
            long length = head[1] & 0x7f;
            if (length >= SHORT_LENGTH) {
                int bytes = headLength();
                length = 0;
                for (int i = 2; i < bytes; i++) {
                    length = length << 8 | (head[i] & 0xff);
                }
            }
            return length;
        }

        private boolean isWellFormed() {
            boolean known = (head[0] & OPCODE & ~CONTROL) <= 2;
            boolean whole = !control || (endsMessage && left <= CONTROL_BYTES_MAX);
            return known
                    && whole
                    && left >= 0
                    && (head[0] & RESERVED) == 0
                    && (head[1] & MASKED) == 0;
        }

        void release() {
            guard.release();
        }
    }
}
