package dev.sallyport.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// The bytes of an answer in HTTP/1.1 (RFC 9112). Everything given to it was checked.
final class Http1Answer {
    private static final int HEAD_BYTES = 512;
    private static final ByteBuf CRLF = constant("\r\n");
    private static final ByteBuf LAST_CHUNK = constant("0\r\n\r\n");
    private static final ByteBuf CONTINUE = constant("HTTP/1.1 100 Continue\r\n\r\n");

    private Http1Answer() {}

    private static ByteBuf constant(String text) {
        return Unpooled.unreleasableBuffer(
                Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII).asReadOnly());
    }

    static ByteBuf proceed() {
        return CONTINUE.duplicate();
    }

    static ByteBuf head(
            ByteBufAllocator alloc,
            int status,
            Map<String, String> fields,
            BodyFraming framing,
            boolean last) {
        ByteBuf head = alloc.buffer(HEAD_BYTES);
        HttpResponseStatus known = HttpResponseStatus.valueOf(status);
        add(head, "HTTP/1.1 ", known.codeAsText(), " ", known.reasonPhrase(), "\r\n");
        fields.forEach((name, value) -> add(head, name, ": ", value, "\r\n"));
        switch (framing) {
            case BodyFraming.None _ -> {}
            case BodyFraming.Sized(long bytes) ->
                    add(head, "content-length: ", Long.toString(bytes), "\r\n");
            case BodyFraming.Chunked _ -> add(head, "transfer-encoding: chunked\r\n");
        }
        add(head, last ? "connection: close\r\n\r\n" : "\r\n");
        return head;
    }

    /// The head of the last answer of a connection; what follows is not HTTP.
    static ByteBuf leave(ByteBufAllocator alloc, int status, Map<String, String> fields) {
        boolean upgrade = status == HttpResponseStatus.SWITCHING_PROTOCOLS.code();
        ByteBuf head = alloc.buffer(HEAD_BYTES);
        add(
                head,
                upgrade
                        ? "HTTP/1.1 101 Switching Protocols\r\n"
                        : "HTTP/1.1 200 Connection established\r\n");
        fields.forEach((name, value) -> add(head, name, ": ", value, "\r\n"));
        add(head, upgrade ? "connection: upgrade\r\n\r\n" : "\r\n");
        return head;
    }

    private static void add(ByteBuf head, CharSequence... texts) {
        for (CharSequence text : texts) {
            ByteBufUtil.writeAscii(head, text);
        }
    }

    /// What stands before a chunk; [#lineEnd] stands behind it.
    static ByteBuf size(ByteBufAllocator alloc, int bytes) {
        return ByteBufUtil.writeAscii(alloc, Integer.toHexString(bytes) + "\r\n");
    }

    static ByteBuf lineEnd() {
        return CRLF.duplicate();
    }

    static ByteBuf end(ByteBufAllocator alloc, boolean chunked, Map<String, String> trailers) {
        if (!chunked) {
            return Unpooled.EMPTY_BUFFER;
        }
        if (trailers.isEmpty()) {
            return LAST_CHUNK.duplicate();
        }
        ByteBuf end = alloc.buffer(HEAD_BYTES);
        add(end, "0\r\n");
        trailers.forEach((name, value) -> add(end, name, ": ", value, "\r\n"));
        add(end, "\r\n");
        return end;
    }
}
