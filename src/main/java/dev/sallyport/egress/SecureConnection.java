package dev.sallyport.egress;

import dev.sallyport.http.Spare;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A connection that has to be TLS, from its first byte until its bytes are somebody else's. Both
/// ways in end here, the address that stands for a name and `CONNECT`, so that neither can be had
/// with less than the other asks for.
///
/// ```
/// Greeting ── the hello names the host ──▶ Clearing ── recorded, connected ──▶ Tunnel
///    │  └─ and a person is asked ─▶ Asking ─▶─┤
///    │                                 │      ├─ recorded, to be inspected ──▶ Inspector
///    └────────── anything else ────────┴──────┴──────────────────────────────▶ Parting
/// ```
///
/// Auto-read is off: what the sandbox sends after its hello stays in its own send buffer until
/// somebody has a use for it.
public final class SecureConnection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = System.getLogger(SecureConnection.class.getName());

    /// What a connection is doing while it is ours.
    sealed interface State permits Greeting, Asking, Clearing, Over {
        /// More bytes are in [SecureConnection#held].
        void arrived(ByteBuf bytes);

        /// The connection is gone, or not ours any more.
        void over();
    }

    /// Nothing is ours any more.
    static final class Over implements State {
        @Override
        public void arrived(ByteBuf bytes) {}

        @Override
        public void over() {}
    }

    private final EgressTerms terms;
    private final Attempt attempt;
    private State state = new Over();
    private ByteBuf held = Unpooled.EMPTY_BUFFER;
    private @Nullable Channel channel;

    private SecureConnection(EgressTerms terms, Attempt attempt) {
        this.terms = terms;
        this.attempt = attempt;
    }

    /// For a connection to the address that stands for `host`.
    public static SecureConnection transparent(EgressTerms terms, HostName host, int port) {
        return new SecureConnection(terms, Attempt.of(Attempt.Entrance.TRANSPARENT, host, port));
    }

    /// Goes on with a connection whose `CONNECT` was answered.
    ///
    /// @param unread what came with the `CONNECT`; ownership passes
    static void afterConnect(EgressTerms terms, Attempt attempt, Channel channel, ByteBuf unread) {
        SecureConnection connection = new SecureConnection(terms, attempt);
        channel.pipeline().addLast("secure", connection);
        connection.begin(unread);
    }

    /// For a connection to an address that stands for nothing.
    public static void refuseUnnamed(EgressTerms terms, Channel channel, String address) {
        terms.audit().refused(Attempt.Entrance.TRANSPARENT, address, Refusal.NAME_NOT_ALLOWED);
        Parting.from(channel, Refusal.NAME_NOT_ALLOWED);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        channel = ctx.channel();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        begin(Unpooled.EMPTY_BUFFER);
    }

    /// The policy is asked before a byte is read, and again when the hello is there.
    private void begin(ByteBuf unread) {
        switch (terms.decide(attempt)) {
            case Decision.Deny<EgressPermit>(Refusal refusal) -> {
                unread.release();
                refuse(refusal, Map.of());
            }
            case Decision.Allow<EgressPermit> _ -> {
                Greeting greeting = new Greeting(this);
                become(greeting);
                greeting.start();
                arrived(unread);
            }
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        arrived((ByteBuf) message);
    }

    private void arrived(ByteBuf bytes) {
        ByteBuf fresh = bytes.retainedDuplicate();
        held = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(channel().alloc(), held, bytes);
        try {
            state.arrived(fresh);
        } finally {
            fresh.release();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        end();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException)) {
            LOG.log(Level.ERROR, "a connection failed inside the gateway", cause);
        }
        end();
        var _ = ctx.close();
    }

    private void become(State next) {
        State left = state;
        state = next;
        if (next instanceof Greeting) {
            Spare.mark(channel(), false);
        } else {
            Spare.clear(channel());
        }
        left.over();
    }

    private void end() {
        become(new Over());
        held.release();
        held = Unpooled.EMPTY_BUFFER;
    }

    EgressTerms terms() {
        return terms;
    }

    Attempt attempt() {
        return attempt;
    }

    Channel channel() {
        Channel current = channel;
        if (current == null) {
            throw new IllegalStateException("not in a pipeline yet");
        }
        return current;
    }

    boolean isIn(State other) {
        return state == other;
    }

    /// The hello is whole; what it names is judged now.
    void greeted(ClientHello.Hello hello) {
        if (!hello.serverName().equals(attempt.host())) {
            refuse(Refusal.NAMES_DISAGREE, Map.of("named", hello.serverName().value()));
            return;
        }
        judge(hello, "");
    }

    /// An inspected connection is not asked about here: each of its requests is.
    ///
    /// @param approval the question that a person said yes to; empty when nobody was asked
    private void judge(ClientHello.Hello hello, String approval) {
        Policy policy = terms.session().get().policy();
        switch (policy.decide(attempt.host(), attempt.port())) {
            case Decision.Deny<EgressPermit>(Refusal refusal) -> refuse(refusal, Map.of());
            case Decision.Allow<EgressPermit>(EgressPermit permit) -> {
                boolean asks = permit.asks() && permit.inspection().isEmpty();
                if (asks && approval.isEmpty()) {
                    Asking asking = new Asking(this, hello, permit);
                    become(asking);
                    asking.start();
                } else {
                    Clearing clearing = new Clearing(this, hello, permit, policy, approval);
                    become(clearing);
                    clearing.start();
                }
            }
        }
    }

    /// A person said yes to this connection. The rights may be others by now.
    void approved(ClientHello.Hello hello, String approval) {
        judge(hello, approval);
    }

    /// Takes the connection out of our hands; the caller owns the bytes that have arrived.
    ByteBuf leave() {
        ByteBuf bytes = held;
        held = Unpooled.EMPTY_BUFFER;
        become(new Over());
        channel().pipeline().remove(this);
        return bytes;
    }

    void refuse(Refusal refusal, Map<String, String> more) {
        terms.audit().refused(attempt, refusal, more);
        part(refusal);
    }

    /// Ends with an alert, when the record says already why.
    void part(Refusal refusal) {
        leave().release();
        Parting.from(channel(), refusal);
    }
}
