package dev.sallyport.egress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// One end of a connection of HTTP/2 that a test holds, frame by frame. It answers nothing by
/// itself but settings, and checks nothing.
public final class Http2Peer {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PUSH_PROMISE = 5;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    static final int END_STREAM = 1;
    static final int ACK = 1;
    static final int END_HEADERS = 4;

    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    /// @param fields of a head, as `name: value`
    /// @param text of anything else, a character for each byte
    record Frame(int type, int flags, int stream, List<String> fields, String text) {
        boolean ends() {
            return type <= HEADERS && (flags & END_STREAM) != 0;
        }

        int number() {
            return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1).readInt();
        }
    }

    private final DataInputStream in;
    private int stream;
    private final OutputStream out;
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false);
    private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();

    private Http2Peer(InputStream in, OutputStream out) {
        this.in = new DataInputStream(in);
        this.out = out;
    }

    /// @param settings pairs of identifier and value
    static Http2Peer host(InputStream in, OutputStream out, int... settings) throws IOException {
        Http2Peer peer = new Http2Peer(in, out);
        peer.settings(settings);
        byte[] preface = peer.in.readNBytes(PREFACE.length());
        if (!new String(preface, StandardCharsets.US_ASCII).equals(PREFACE)) {
            throw new IOException("not HTTP/2");
        }
        return peer;
    }

    static Http2Peer client(InputStream in, OutputStream out, int... settings) throws IOException {
        Http2Peer peer = new Http2Peer(in, out);
        out.write(PREFACE.getBytes(StandardCharsets.US_ASCII));
        peer.settings(settings);
        return peer;
    }

    void settings(int... pairs) throws IOException {
        ByteBuf payload = Unpooled.buffer();
        for (int i = 0; i < pairs.length; i += 2) {
            payload.writeShort(pairs[i]).writeInt(pairs[i + 1]);
        }
        frame(SETTINGS, 0, 0, ByteBufUtil.getBytes(payload));
    }

    void frame(int type, int flags, int stream, byte[] payload) throws IOException {
        ByteBuf head = Unpooled.buffer(9);
        head.writeMedium(payload.length).writeByte(type).writeByte(flags).writeInt(stream);
        byte[] all =
                ByteBufUtil.getBytes(Unpooled.wrappedBuffer(head, Unpooled.wrappedBuffer(payload)));
        synchronized (out) {
            out.write(all);
            out.flush();
        }
    }

    void number(int type, int stream, int value) throws IOException {
        frame(type, 0, stream, ByteBufUtil.getBytes(Unpooled.buffer().writeInt(value)));
    }

    void data(int stream, String text, int flags) throws IOException {
        frame(DATA, flags, stream, text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /// @param fields each as `name: value`
    void head(int stream, int flags, String... fields) throws IOException {
        frame(HEADERS, flags | END_HEADERS, stream, block(fields));
    }

    byte[] block(String... fields) {
        Http2Headers headers = new DefaultHttp2Headers(false);
        for (String field : fields) {
            int colon = field.indexOf(": ", 1);
            headers.add(field.substring(0, colon), field.substring(colon + 2));
        }
        ByteBuf block = Unpooled.buffer();
        try {
            encoder.encodeHeaders(1, headers, block);
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
        return ByteBufUtil.getBytes(block);
    }

    /// The next frame, whatever it is.
    ///
    /// @throws EOFException when there is none
    Frame any() throws IOException {
        int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        byte[] bytes = in.readNBytes(length);
        if (type == SETTINGS && (flags & ACK) == 0) {
            frame(SETTINGS, ACK, 0, new byte[0]);
        }
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        return new Frame(type, flags, stream, type == HEADERS ? fields(bytes) : List.of(), text);
    }

    private List<String> fields(byte[] block) throws IOException {
        List<String> fields = new ArrayList<>();
        try {
            for (Map.Entry<CharSequence, CharSequence> field :
                    decoder.decodeHeaders(1, Unpooled.wrappedBuffer(block))) {
                fields.add(field.getKey() + ": " + field.getValue());
            }
        } catch (Http2Exception e) {
            throw new IOException(e);
        }
        return fields;
    }

    /// The next frame of a message: head, body, or its being cut.
    Frame next() throws IOException {
        Frame frame = any();
        while (frame.type() != HEADERS && frame.type() != DATA && frame.type() != RST_STREAM) {
            frame = any();
        }
        return frame;
    }

    /// The next head. A host's answers are for its stream.
    Frame head() throws IOException {
        Frame frame = next();
        while (frame.type() != HEADERS) {
            frame = next();
        }
        stream = frame.stream();
        return frame;
    }

    int stream() {
        return stream;
    }

    void answer(int flags, String... fields) throws IOException {
        head(stream, flags, fields);
    }

    void say(String text, int flags) throws IOException {
        data(stream, text, flags);
    }

    /// What follows the head that came last.
    List<String> rest() throws IOException {
        return rest(stream);
    }

    /// What comes on a stream until it ends or is cut, each frame a line.
    List<String> rest(int stream) throws IOException {
        List<String> lines = new ArrayList<>();
        while (true) {
            Frame frame = next();
            if (frame.stream() != stream) {
                continue;
            }
            switch (frame.type()) {
                case HEADERS -> lines.addAll(frame.fields());
                case DATA -> lines.add(frame.text());
                default -> lines.add("reset");
            }
            if (frame.ends() || frame.type() == RST_STREAM) {
                return lines;
            }
        }
    }

    /// Reads until the other side closes.
    void drain() throws IOException {
        try {
            while (true) {
                any();
            }
        } catch (EOFException _) {
            // That is what was waited for.
        }
    }
}
