package dev.sallyport.http;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.fixture.HandClock;
import dev.sallyport.fixture.LiveSessions;
import dev.sallyport.policy.Policy;
import dev.sallyport.session.LiveSession;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.local.LocalServerChannel;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// An HTTP/2 connection in memory whose client writes frames by hand, with a clock that the test
/// moves.
final class Http2Wire implements AutoCloseable {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;
    static final int END_STREAM = 1;
    private static final int FRAME_BYTES_MAX = 16_384;
    static final int END_HEADERS = 4;

    /// One field of a request, written without any check.
    record Field(String name, String value) {}

    /// What was answered: for HEADERS the fields as text, for DATA the bytes as text.
    record Frame(int type, int flags, int stream, String text) {
        boolean ends() {
            return (flags & END_STREAM) != 0;
        }
    }

    final List<AuditEvent> recorded = new ArrayList<>();
    final RequestQuota quota;

    /// What comes of a record.
    Supplier<CompletableFuture<Void>> recording = () -> CompletableFuture.completedFuture(null);

    /// Netty looks at the parent to tell the server's side from the client's.
    final EmbeddedChannel channel =
            new EmbeddedChannel(
                    new LocalServerChannel(), DefaultChannelId.newInstance(), true, false);

    private final DefaultHttp2HeadersDecoder hpack = new DefaultHttp2HeadersDecoder(false);
    private final ByteBuf answered = Unpooled.buffer();
    private final HandClock clock = new HandClock();

    Http2Wire(Door door) {
        this(door, Limits.standard());
    }

    Http2Wire(Door door, Limits limits) {
        this(door, limits, ByteBufAllocator.DEFAULT);
    }

    Http2Wire(Door door, Limits limits, ByteBufAllocator alloc) {
        LiveSession session =
                LiveSessions.of(
                        Wire.SESSION,
                        "test",
                        new Policy(Wire.SESSION, List.of()),
                        new CredentialBook(List.of()));
        quota = new RequestQuota(limits.sharing(), new RequestQuota.Total(limits.sharing()), clock);
        RefusalLog log =
                new RefusalLog(
                        Wire.SESSION,
                        event -> {
                            recorded.add(event);
                            return recording.get();
                        });
        channel.config().setAllocator(alloc);
        channel.config().setAutoRead(false);
        channel.freezeTime();
        Http2Connection.addTo(
                channel.pipeline(),
                new ConnectionTerms(() -> session, door, limits.http(), quota, log));
        bytes(Unpooled.copiedBuffer("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", StandardCharsets.US_ASCII));
        frame(SETTINGS, 0, 0, Unpooled.EMPTY_BUFFER);
        frames();
    }

    static List<Field> get(String path) {
        return fields("GET", path);
    }

    static List<Field> post(String path) {
        return fields("POST", path);
    }

    private static List<Field> fields(String method, String path) {
        return new ArrayList<>(
                List.of(
                        new Field(":method", method),
                        new Field(":scheme", "https"),
                        new Field(":authority", "api.example.com"),
                        new Field(":path", path)));
    }

    /// The same with one more at the end.
    static List<Field> with(List<Field> fields, String name, String value) {
        List<Field> more = new ArrayList<>(fields);
        more.add(new Field(name, value));
        return more;
    }

    Http2Wire head(int stream, List<Field> fields, int flags) {
        ByteBuf block = block(fields);
        int type = HEADERS;
        while (block.readableBytes() > FRAME_BYTES_MAX) {
            frame(type, type == HEADERS ? flags : 0, stream, block.readBytes(FRAME_BYTES_MAX));
            type = CONTINUATION;
        }
        int first = type == HEADERS ? flags : 0;
        return frame(type, first | END_HEADERS, stream, block);
    }

    /// Literal fields without indexing (RFC 7541, section 6.2.2), strings not compressed.
    static ByteBuf block(List<Field> fields) {
        ByteBuf block = Unpooled.buffer();
        for (Field field : fields) {
            block.writeByte(0);
            string(block, field.name());
            string(block, field.value());
        }
        return block;
    }

    private static void string(ByteBuf block, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        if (bytes.length < 127) {
            block.writeByte(bytes.length);
        } else {
            block.writeByte(127);
            int rest = bytes.length - 127;
            for (; rest >= 128; rest >>= 7) {
                block.writeByte((rest & 127) | 128);
            }
            block.writeByte(rest);
        }
        block.writeBytes(bytes);
    }

    Http2Wire data(int stream, String text, int flags) {
        return frame(DATA, flags, stream, Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
    }

    Http2Wire reset(int stream) {
        return frame(RST_STREAM, 0, stream, Unpooled.buffer().writeInt(8));
    }

    Http2Wire frame(int type, int flags, int stream, ByteBuf payload) {
        ByteBuf frame = channel.alloc().buffer();
        frame.writeMedium(payload.readableBytes());
        frame.writeByte(type).writeByte(flags).writeInt(stream).writeBytes(payload);
        payload.release();
        return bytes(frame);
    }

    private Http2Wire bytes(ByteBuf bytes) {
        if (channel.isOpen()) {
            channel.writeInbound(bytes);
            channel.runPendingTasks();
            channel.checkException();
        } else {
            bytes.release();
        }
        return this;
    }

    Http2Wire seconds(int seconds) {
        for (int i = 0; i < seconds && channel.isOpen(); i++) {
            clock.passSeconds(1);
            channel.advanceTimeBy(1, TimeUnit.SECONDS);
            channel.runScheduledPendingTasks();
            channel.runPendingTasks();
        }
        return this;
    }

    /// Everything that was answered since the last call.
    List<Frame> frames() {
        channel.runPendingTasks();
        for (ByteBuf piece = channel.readOutbound();
                piece != null;
                piece = channel.readOutbound()) {
            answered.writeBytes(piece);
            piece.release();
        }
        List<Frame> frames = new ArrayList<>();
        while (answered.readableBytes() >= 9) {
            int length = answered.readMedium();
            int type = answered.readByte();
            int flags = answered.readByte();
            int stream = answered.readInt();
            frames.add(new Frame(type, flags, stream, text(type, answered.readSlice(length))));
        }
        return frames;
    }

    private String text(int type, ByteBuf payload) {
        try {
            return switch (type) {
                case HEADERS -> hpack.decodeHeaders(1, payload).toString();
                case RST_STREAM -> "error " + payload.readInt();
                case GOAWAY -> "error " + payload.skipBytes(4).readInt();
                default -> payload.toString(StandardCharsets.ISO_8859_1);
            };
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
    }

    /// The text of all that was answered on one stream since the last call.
    String answer(int stream) {
        StringBuilder text = new StringBuilder();
        for (Frame frame : frames()) {
            if (frame.stream() == stream && frame.type() != WINDOW_UPDATE) {
                text.append(frame.text()).append(frame.ends() ? " END" : "").append('\n');
            }
        }
        return text.toString();
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() {
        channel.finishAndReleaseAll();
        channel.runPendingTasks();
        answered.release();
    }
}
