package dev.sallyport.http;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Marks connections that no request would be lost with: they wait for a head, a hello or a next
/// request. When a sandbox has as many connections as it may have, the one that has waited longest
/// makes room for a new one, so that slow ones do not keep others of the same sandbox out.
public final class Spare {
    /// Whoever has connected just now is about to say something.
    private static final long WAIT_NANOS_MIN = TimeUnit.SECONDS.toNanos(1);

    private static final AttributeKey<Mark> MARK = AttributeKey.valueOf(Spare.class, "mark");

    /// @param kept whether it has served a request and rests until the next
    private record Mark(Channel channel, boolean kept, long sinceNanos) {}

    private Spare() {}

    public static void mark(Channel channel, boolean kept) {
        channel.attr(MARK).set(new Mark(channel, kept, System.nanoTime()));
    }

    public static void clear(Channel channel) {
        channel.attr(MARK).set(null);
    }

    static boolean isMarked(Channel channel) {
        return channel.attr(MARK).get() != null;
    }

    /// The one to close first: those that have not been of use before those that have.
    public static Optional<Channel> slowest(Stream<Channel> connections) {
        long now = System.nanoTime();
        return connections
                .flatMap(channel -> Stream.ofNullable(channel.attr(MARK).get()))
                .filter(mark -> now - mark.sinceNanos >= WAIT_NANOS_MIN)
                .min(Comparator.comparing(Mark::kept).thenComparingLong(m -> m.sinceNanos - now))
                .map(Mark::channel);
    }

    /// From any thread; unless it has become useful meanwhile.
    public static void close(Channel channel) {
        channel.eventLoop()
                .execute(
                        () -> {
                            if (isMarked(channel)) {
                                var _ = channel.close();
                            }
                        });
    }
}
