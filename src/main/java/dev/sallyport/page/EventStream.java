package dev.sallyport.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.control.ApiJson;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/// One browser that looks on, by server-sent events. What it does not take in time it misses, and
/// is told so: nothing waits for it and nothing is kept for it.
final class EventStream {
    private static final ObjectMapper JSON = ApiJson.requests();

    /// A comment, which shows whether somebody is still there.
    private static final Duration HEARTBEAT = Duration.ofSeconds(10);

    /// After so much it is asked anew whether the browser takes more.
    private static final int PIECE_CHARACTERS = 32_768;

    private final Channel channel;
    private final BooleanSupplier allowed;
    private long sent;
    private long wroteNanos = System.nanoTime();

    /// @param allowed whether its session still holds
    EventStream(Channel channel, BooleanSupplier allowed) {
        this.channel = channel;
        this.allowed = allowed;
    }

    /// Number of the last line that it was sent. For the feed's thread.
    long sent() {
        return sent;
    }

    /// Whether it goes on. For the feed's thread.
    boolean send(List<LineView> due) {
        if (!channel.isActive()) {
            return false;
        }
        if (!allowed.getAsBoolean()) {
            end();
            return false;
        }
        StringBuilder text = new StringBuilder();
        for (LineView line : due) {
            if (text.length() > PIECE_CHARACTERS) {
                write(text.toString());
                text.setLength(0);
            }
            if (text.isEmpty() && !channel.isWritable()) {
                return true;
            }
            if (sent > 0 && line.seq() > sent + 1) {
                text.append("event: missed\ndata: ").append(line.seq() - sent - 1).append("\n\n");
            }
            sent = line.seq();
            text.append("event: line\ndata: ").append(json(line)).append("\n\n");
        }
        if (!text.isEmpty()) {
            write(text.toString());
        }
        if (System.nanoTime() - wroteNanos > HEARTBEAT.toNanos() && channel.isWritable()) {
            write(": still here\n\n");
        }
        return true;
    }

    private void write(String text) {
        wroteNanos = System.nanoTime();
        var _ =
                channel.writeAndFlush(
                        new DefaultHttpContent(
                                Unpooled.copiedBuffer(text, StandardCharsets.UTF_8)));
    }

    void end() {
        var _ =
                channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)
                        .addListener(ChannelFutureListener.CLOSE);
    }

    /// Its line ends are escaped, so that no value can begin an event of its own.
    private static String json(LineView line) {
        try {
            return JSON.writeValueAsString(line);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a line that cannot be written", e);
        }
    }
}
