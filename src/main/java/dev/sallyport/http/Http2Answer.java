package dev.sallyport.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2Headers;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/// Puts one answer on an HTTP/2 stream, as [AnswerWriter] does on a connection: a sized answer
/// carries exactly its length.
final class Http2Answer {
    /// What the answer is allowed to look like so far.
    private enum Phase {
        OWED,
        BODY,
        /// HEAD, 204, 304: the head is all there is.
        HEAD_ONLY,
        DONE
    }

    private final Channel stream;
    private final boolean headRequest;
    private Phase phase = Phase.OWED;
    private OptionalLong bytesLeft = OptionalLong.empty();

    Http2Answer(Channel stream, boolean headRequest) {
        this.stream = stream;
        this.headRequest = headRequest;
    }

    boolean isOwed() {
        return phase == Phase.OWED;
    }

    boolean isDone() {
        return phase == Phase.DONE;
    }

    void proceed() {
        Http2Headers head = new DefaultHttp2Headers().status("100");
        var _ = stream.writeAndFlush(new DefaultHttp2HeadersFrame(head));
    }

    /// @throws IllegalArgumentException when a field cannot be written; nothing has been then
    void start(int status, Map<String, String> fields, OptionalLong length) {
        Http2Headers head = new DefaultHttp2Headers().status(Integer.toString(status));
        fields.forEach(
                (name, value) -> {
                    AnswerWriter.requireWritable(name, value);
                    head.add(name.toLowerCase(Locale.ROOT), value);
                });
        boolean bodiless = status == 204 || status == 304;
        if (length.isPresent() && !bodiless) {
            head.addLong("content-length", length.getAsLong());
        }
        bytesLeft = length;
        phase = bodiless || headRequest ? Phase.HEAD_ONLY : Phase.BODY;
        // An answer without a length may be silent for long: its head goes out at once.
        var _ =
                length.isPresent()
                        ? stream.write(new DefaultHttp2HeadersFrame(head))
                        : stream.writeAndFlush(new DefaultHttp2HeadersFrame(head));
    }

    /// Takes ownership of the piece. False when it does not fit the announced length; the answer
    /// must be cut then.
    boolean write(ByteBuf piece) {
        int bytes = piece.readableBytes();
        boolean fits = phase != Phase.BODY || bytesLeft.isEmpty() || bytes <= bytesLeft.getAsLong();
        if (bytes == 0 || phase != Phase.BODY || !fits) {
            piece.release();
            return fits;
        }
        if (bytesLeft.isPresent()) {
            bytesLeft = OptionalLong.of(bytesLeft.getAsLong() - bytes);
        }
        var _ = stream.writeAndFlush(new DefaultHttp2DataFrame(piece));
        return true;
    }

    /// True when all announced bytes were written.
    boolean isWhole() {
        return switch (phase) {
            case BODY -> bytesLeft.orElse(0) == 0;
            case HEAD_ONLY -> true;
            case OWED, DONE -> false;
        };
    }

    /// The future completes when the last frame has been passed to the connection.
    ChannelFuture end() {
        phase = Phase.DONE;
        return stream.writeAndFlush(new DefaultHttp2DataFrame(Unpooled.EMPTY_BUFFER, true));
    }

    ChannelFuture refuse(RefusalPage page) {
        ByteBuf text = Unpooled.copiedBuffer(page.text(), StandardCharsets.UTF_8);
        start(page.status(), page.fields(), OptionalLong.of(text.readableBytes()));
        write(text);
        return end();
    }

    void abandon() {
        phase = Phase.DONE;
    }
}
