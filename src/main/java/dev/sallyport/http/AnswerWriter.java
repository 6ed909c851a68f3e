package dev.sallyport.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/// Puts one answer on the wire and keeps it well-framed: a sized answer carries exactly its length,
/// a chunked one ends once.
final class AnswerWriter {
    private static final ByteBuf CRLF = constant("\r\n");
    private static final ByteBuf LAST_CHUNK = constant("0\r\n\r\n");
    private static final ByteBuf CONTINUE = constant("HTTP/1.1 100 Continue\r\n\r\n");

    /// Fields that frame the answer or the connection are ours to write.
    private static final Set<String> OURS =
            Set.of("content-length", "transfer-encoding", "connection", "upgrade", "trailer");

    /// What the answer to this request is allowed to look like so far.
    private enum Phase {
        OWED,
        CHUNKS,
        BYTES,
        /// HEAD, 204, 304: the head is all there is.
        HEAD_ONLY,
        DONE
    }

    private final Channel channel;
    private final boolean headRequest;
    private Phase phase = Phase.OWED;
    private long bytesLeft;

    AnswerWriter(Channel channel, boolean headRequest) {
        this.channel = channel;
        this.headRequest = headRequest;
    }

    private static ByteBuf constant(String text) {
        return Unpooled.unreleasableBuffer(
                Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII).asReadOnly());
    }

    boolean isOwed() {
        return phase == Phase.OWED;
    }

    boolean isDone() {
        return phase == Phase.DONE;
    }

    void proceed() {
        var _ = channel.writeAndFlush(CONTINUE.duplicate());
    }

    /// @throws IllegalArgumentException when a field cannot be written; nothing has been then
    void start(int status, Map<String, String> fields, OptionalLong length, boolean close) {
        StringBuilder head = new StringBuilder(256);
        head.append("HTTP/1.1 ").append(HttpResponseStatus.valueOf(status)).append("\r\n");
        fields.forEach((name, value) -> append(head, name, value, false));
        boolean bodiless = status == 204 || status == 304;
        if (length.isPresent() && !bodiless) {
            head.append("content-length: ").append(length.getAsLong()).append("\r\n");
        } else if (!bodiless) {
            head.append("transfer-encoding: chunked\r\n");
        }
        head.append(close ? "connection: close\r\n\r\n" : "\r\n");
        bytesLeft = length.orElse(0);
        phase = phaseOf(bodiless || headRequest, length.isPresent());
        write(head);
        if (phase == Phase.CHUNKS) {
            // The first piece of a stream of events may be long in coming.
            channel.flush();
        }
    }

    /// Writes the head of the last answer of this connection; what follows is not HTTP.
    ///
    /// @throws IllegalArgumentException when a field cannot be written; nothing has been then
    void leave(int status, Map<String, String> fields) {
        StringBuilder head = new StringBuilder(256);
        head.append("HTTP/1.1 ").append(lastStatus(status)).append("\r\n");
        boolean upgrade = status == 101;
        fields.forEach(
                (name, value) -> append(head, name, value, upgrade && name.equals("upgrade")));
        head.append(upgrade ? "connection: upgrade\r\n\r\n" : "\r\n");
        phase = Phase.DONE;
        write(head);
        channel.flush();
    }

    private static String lastStatus(int status) {
        return switch (status) {
            case 101 -> "101 Switching Protocols";
            case 200 -> "200 Connection established";
            default -> throw new IllegalArgumentException("this status does not leave HTTP");
        };
    }

    private void write(StringBuilder head) {
        var _ =
                channel.write(
                        ByteBufUtil.encodeString(
                                channel.alloc(), CharBuffer.wrap(head), StandardCharsets.US_ASCII));
    }

    private static Phase phaseOf(boolean headOnly, boolean sized) {
        if (headOnly) {
            return Phase.HEAD_ONLY;
        }
        return sized ? Phase.BYTES : Phase.CHUNKS;
    }

    /// Whether a field of an answer may be written, in either version of HTTP.
    static void requireWritable(String name, String value) {
        requireWritable(name, value, false);
    }

    private static void requireWritable(String name, String value, boolean evenOurs) {
        boolean printable = value.chars().allMatch(c -> c >= 0x20 && c < 0x7f);
        boolean named = Ascii.consistsOf(Ascii.FIELD_NAME, name);
        if (!named || (OURS.contains(name) && !evenOurs) || !printable) {
            throw new IllegalArgumentException("a field of the answer cannot be written");
        }
    }

    private static void append(StringBuilder head, String name, String value, boolean evenOurs) {
        requireWritable(name, value, evenOurs);
        head.append(name).append(": ").append(value).append("\r\n");
    }

    /// Takes ownership of the piece. False when it does not fit the announced length; the answer
    /// must be cut then.
    boolean write(ByteBuf piece) {
        int bytes = piece.readableBytes();
        boolean carried = bytes > 0 && (phase == Phase.BYTES || phase == Phase.CHUNKS);
        boolean fits = phase != Phase.BYTES || bytes <= bytesLeft;
        if (!carried || !fits) {
            piece.release();
            return fits;
        }
        if (phase == Phase.BYTES) {
            bytesLeft -= bytes;
            var _ = channel.writeAndFlush(piece);
        } else {
            String size = Integer.toHexString(bytes) + "\r\n";
            var _ = channel.write(ByteBufUtil.writeAscii(channel.alloc(), size));
            var _ = channel.write(piece);
            var _ = channel.writeAndFlush(CRLF.duplicate());
        }
        return true;
    }

    /// True when all announced bytes were written.
    boolean isWhole() {
        return switch (phase) {
            case CHUNKS, HEAD_ONLY -> true;
            case BYTES -> bytesLeft == 0;
            case OWED, DONE -> false;
        };
    }

    /// The future completes when the kernel has taken the last byte.
    ChannelFuture end() {
        ByteBuf last = phase == Phase.CHUNKS ? LAST_CHUNK.duplicate() : Unpooled.EMPTY_BUFFER;
        phase = Phase.DONE;
        return channel.writeAndFlush(last);
    }

    ChannelFuture refuse(RefusalPage page, boolean close) {
        ByteBuf text = Unpooled.copiedBuffer(page.text(), StandardCharsets.UTF_8);
        start(page.status(), page.fields(), OptionalLong.of(text.readableBytes()), close);
        write(text);
        return end();
    }

    void abandon() {
        phase = Phase.DONE;
    }
}
