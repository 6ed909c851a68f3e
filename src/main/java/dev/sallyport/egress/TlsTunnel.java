package dev.sallyport.egress;

import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Flow;
import dev.sallyport.relay.RightsWatch;
import dev.sallyport.relay.Tunnel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import java.util.HexFormat;
import java.util.Optional;

/// A tunnel for TLS that nobody here reads, but for its hellos. Until the host has answered,
/// nothing of the sandbox but its hello goes through: the host may ask for a second hello, and that
/// has to name the same host as the first (RFC 8446, section 4.1.4).
final class TlsTunnel implements Tunnel.Grounds {
    private final EgressTerms terms;
    private final Attempt attempt;
    private final EgressPermit permit;
    private final RightsWatch rights;
    private final EgressUse use;
    private final Channel down;
    private final Channel up;
    private final Tunnel tunnel;
    private ByteBuf early = Unpooled.EMPTY_BUFFER;

    /// Why it may be there.
    ///
    /// @param policy that the permit is from
    record Leave(Attempt attempt, EgressPermit permit, Policy policy) {}

    TlsTunnel(EgressTerms terms, Leave leave, EgressUse use, Channel down, Channel up) {
        this.terms = terms;
        this.attempt = leave.attempt();
        this.permit = leave.permit();
        this.rights = new RightsWatch(terms.session(), leave.policy());
        this.use = use;
        this.down = down;
        this.up = up;
        up.pipeline().addLast("answer", new AnswerWatch());
        this.tunnel = new Tunnel(use.tunnel(terms.limits()), this, down, up);
    }

    /// @param bytes begin with the hello; ownership passes
    void open(ClientHello.Hello hello, ByteBuf bytes) {
        early = bytes;
        up.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(Flow.READ_BYTES));
        up.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        down.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        tunnel.upward().pass(bytes.readRetainedSlice(hello.bytes()));
        up.flush();
        tunnel.downward().open();
    }

    /// The first of the host's bytes are there.
    private void answered(ServerAnswer answer) {
        if (tunnel.isOver()) {
            return;
        }
        switch (answer) {
            case NEED_MORE -> {}
            case HELLO_AGAIN -> {
                SecondHello second =
                        new SecondHello(tunnel, attempt.host(), terms.limits().helloBytesMax());
                down.pipeline().addBefore("flow", "hello", second);
                letThrough();
            }
            case OTHER -> letThrough();
            case STRANGE -> tunnel.cut(Refusal.UPSTREAM_MISBEHAVED);
        }
    }

    private void letThrough() {
        tunnel.downward().passUnseen();
        tunnel.upward().passUnseen();
        ByteBuf bytes = early;
        early = Unpooled.EMPTY_BUFFER;
        if (bytes.isReadable()) {
            down.pipeline().fireChannelRead(bytes).fireChannelReadComplete();
        } else {
            bytes.release();
        }
        tunnel.upward().open();
    }

    /// The host must still be one that is tunnelled to, and reached in the same way. Where a person
    /// is asked by now, one that nobody was asked about ends.
    @Override
    public Optional<Refusal> objection() {
        return rights.changed()
                .flatMap(now -> attempt.objection(now, permit.reach(), this::change));
    }

    private Optional<Refusal> change(EgressPermit held) {
        if (held.inspection().isPresent()) {
            return Optional.of(Refusal.URL_NOT_ALLOWED);
        }
        return held.asksUnlike(permit) ? Optional.of(Refusal.RIGHTS_CHANGED) : Optional.empty();
    }

    @Override
    public ByteBuf clear(ByteBuf bytes) {
        return bytes;
    }

    @Override
    public void cut(Refusal reason) {
        terms.audit().cut(attempt, reason);
    }

    @Override
    public void ended(String why, long seconds) {
        early.release();
        early = Unpooled.EMPTY_BUFFER;
        terms.audit().ended(attempt, why, use.bytesUp(), use.bytesDown(), seconds);
    }

    /// Looks at the first bytes of the host while they pass, and leaves.
    private final class AnswerWatch extends ChannelInboundHandlerAdapter {
        private final ByteBuf seen = Unpooled.buffer(ServerAnswer.BYTES, ServerAnswer.BYTES);

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            int missing = Math.min(seen.writableBytes(), bytes.readableBytes());
            seen.writeBytes(bytes, bytes.readerIndex(), missing);
            ServerAnswer answer = ServerAnswer.of(seen);
            ctx.fireChannelRead(bytes);
            if (answer != ServerAnswer.NEED_MORE && !ctx.isRemoved()) {
                ctx.pipeline().remove(this);
                answered(answer);
            }
        }
    }

    /// What a host's first bytes say about who speaks next.
    private enum ServerAnswer {
        NEED_MORE,
        /// HelloRetryRequest: another ClientHello follows, in the open.
        HELLO_AGAIN,
        /// Whatever the sandbox says now is between it and the host.
        OTHER,
        /// A ServerHello that is cut into pieces so small that it cannot be told what it is. No
        /// server does that.
        STRANGE;

        /// From the record's header to the end of the random.
        static final int BYTES = 43;

        private static final int HANDSHAKE = 22;
        private static final int SERVER_HELLO = 2;
        private static final int RECORD_HEADER_BYTES = 5;
        private static final int RANDOM_AT = 11;

        /// RFC 8446, section 4.1.3: the SHA-256 of "HelloRetryRequest".
        private static final byte[] RETRY =
                HexFormat.of()
                        .parseHex(
                                "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c");

        /// @param bytes from the first on
        static ServerAnswer of(ByteBuf bytes) {
            int start = bytes.readerIndex();
            int count = bytes.readableBytes();
            if (count >= 1 && bytes.getByte(start) != HANDSHAKE) {
                return OTHER;
            }
            if (count >= RECORD_HEADER_BYTES
                    && bytes.getUnsignedShort(start + 3) < BYTES - RECORD_HEADER_BYTES) {
                return STRANGE;
            }
            if (count > RECORD_HEADER_BYTES
                    && bytes.getByte(start + RECORD_HEADER_BYTES) != SERVER_HELLO) {
                return OTHER;
            }
            if (count < BYTES) {
                return NEED_MORE;
            }
            for (int i = 0; i < RETRY.length; i++) {
                if (bytes.getByte(start + RANDOM_AT + i) != RETRY[i]) {
                    return OTHER;
                }
            }
            return HELLO_AGAIN;
        }
    }
}
