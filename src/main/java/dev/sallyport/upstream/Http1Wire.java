package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.Map;
import java.util.Optional;

/// Requests and answers of HTTP/1.1 (RFC 9112). An answer is held back by not reading.
final class Http1Wire extends ChannelInboundHandlerAdapter implements UpstreamWire {
    private final Channel channel;
    private final Connection connection;
    private final AnswerReader reader;

    private Http1Wire(Channel channel, Connection connection, Limits.Upstream limits) {
        this.channel = channel;
        this.connection = connection;
        this.reader = new AnswerReader(limits);
    }

    /// Puts its handlers before the connection's.
    static Http1Wire on(Channel channel, Connection connection, Limits.Upstream limits) {
        Http1Wire wire = new Http1Wire(channel, connection, limits);
        channel.pipeline()
                .addBefore(Connection.HANDLER, "request", new HttpRequestEncoder())
                .addBefore(Connection.HANDLER, "answer", wire);
        return wire;
    }

    @Override
    public void begin(HttpRequest head, boolean bodyFollows) {
        reader.expect(head.method().equals(HttpMethod.HEAD));
        var _ = channel.write(head);
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public void write(ByteBuf piece) {
        var _ = channel.writeAndFlush(new DefaultHttpContent(piece));
    }

    /// Only a body in chunks can have trailers.
    @Override
    public void end(Map<String, String> trailers) {
        LastHttpContent last = LastHttpContent.EMPTY_LAST_CONTENT;
        if (!trailers.isEmpty()) {
            last = new DefaultLastHttpContent();
            trailers.forEach(last.trailingHeaders()::set);
        }
        var _ = channel.writeAndFlush(last);
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    public void reading(boolean wanted) {
        ReadTurns.reading(channel, wanted);
    }

    @Override
    public boolean isAnswerComplete() {
        return reader.isSizedBodyComplete();
    }

    @Override
    public boolean rest() {
        ReadTurns.reading(channel, true);
        return !reader.hasMore();
    }

    @Override
    public boolean isWholeAtClose(boolean clean) {
        return clean && reader.isUntilClose();
    }

    /// A channel that is closed goes on reading until its last bytes are out, and a host that does
    /// not take them can say much meanwhile.
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (connection.isOver()) {
            bytes.release();
            return;
        }
        connection.heard();
        reader.feed(bytes);
        read();
    }

    private void read() {
        try {
            boolean starved = false;
            while (connection.isAsked() && !starved) {
                Optional<AnswerPart> part = reader.next();
                starved = part.isEmpty();
                part.ifPresent(connection::part);
            }
            // What comes when no answer is owed could be taken for the answer to the next request.
            if (!connection.isAsked() && reader.hasMore()) {
                connection.misbehaved();
            }
        } catch (BadAnswerException _) {
            connection.misbehaved();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        connection.writabilityChanged();
        ctx.fireChannelWritabilityChanged();
    }

    @Override
    public ByteBuf leave() {
        ReadTurns.reading(channel, false);
        channel.pipeline().remove(HttpRequestEncoder.class);
        channel.pipeline().remove(this);
        return reader.rest();
    }

    @Override
    public boolean release() {
        reader.release();
        return true;
    }
}
