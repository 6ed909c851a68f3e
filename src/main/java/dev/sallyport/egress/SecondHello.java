package dev.sallyport.egress;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Tunnel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;

/// Holds back what a sandbox sends after its host asked for another hello, until that is there and
/// names the same host as the first; a second name would otherwise be one that nobody judged (E17).
final class SecondHello extends ChannelInboundHandlerAdapter {
    /// A client may send this before, for the sake of middleboxes (RFC 8446, section 5).
    private static final byte[] CHANGE_CIPHER_SPEC = {20, 3, 3, 0, 1, 1};

    private static final ClientHello NOT_TLS = new ClientHello.Bad(ClientHello.Flaw.NOT_TLS);

    private final Tunnel tunnel;
    private final HostName host;
    private final HelloParser parser;
    private ByteBuf held = Unpooled.EMPTY_BUFFER;
    private int skipped;

    SecondHello(Tunnel tunnel, HostName host, int bytesMax) {
        this.tunnel = tunnel;
        this.host = host;
        this.parser = new HelloParser(bytesMax);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        ByteBuf fresh = bytes.retainedDuplicate();
        held = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(ctx.alloc(), held, bytes);
        try {
            judge(ctx, skip(fresh) ? parser.read(fresh) : NOT_TLS);
        } finally {
            fresh.release();
        }
    }

    /// False when something else begins like it.
    private boolean skip(ByteBuf bytes) {
        if (skipped == 0 && bytes.getByte(bytes.readerIndex()) != CHANGE_CIPHER_SPEC[0]) {
            skipped = CHANGE_CIPHER_SPEC.length;
        }
        while (skipped < CHANGE_CIPHER_SPEC.length && bytes.isReadable()) {
            if (bytes.readByte() != CHANGE_CIPHER_SPEC[skipped++]) {
                return false;
            }
        }
        return true;
    }

    private void judge(ChannelHandlerContext ctx, ClientHello hello) {
        switch (hello) {
            case ClientHello.NeedMore() -> {}
            case ClientHello.Bad _ -> tunnel.cut(Refusal.BAD_HELLO);
            case ClientHello.Hello again when again.serverName().equals(host) -> pass(ctx);
            case ClientHello.Hello _ -> tunnel.cut(Refusal.NAMES_DISAGREE);
        }
    }

    private void pass(ChannelHandlerContext ctx) {
        ByteBuf bytes = held;
        held = Unpooled.EMPTY_BUFFER;
        ctx.fireChannelRead(bytes);
        ctx.pipeline().remove(this);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        held.release();
        held = Unpooled.EMPTY_BUFFER;
    }
}
