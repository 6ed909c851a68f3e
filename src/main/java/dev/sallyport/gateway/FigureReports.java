package dev.sallyport.gateway;

import dev.sallyport.channel.Figure;
import dev.sallyport.channel.Message;
import dev.sallyport.session.RequestTimes;
import io.netty.util.internal.PlatformDependent;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// Tells the warden every few seconds how this gateway is doing: numbers only, always as many. The
/// warden shows them to people, who must not have to ask the exposed process.
final class FigureReports {
    static final int PERIOD_SECONDS = 5;

    private final Map<Figure, LongSupplier> figures = new EnumMap<>(Figure.class);
    private final RequestTimes times;
    private final Consumer<Message> warden;
    private final AtomicBoolean busy = new AtomicBoolean();
    private boolean used;

    FigureReports(RequestTimes times, Consumer<Message> warden) {
        this.times = times;
        this.warden = warden;
        Runtime jvm = Runtime.getRuntime();
        figures.put(Figure.HEAP_BYTES, () -> jvm.totalMemory() - jvm.freeMemory());
        figures.put(Figure.HEAP_BYTES_MAX, jvm::maxMemory);
        figures.put(Figure.DIRECT_BYTES, () -> Math.max(0, PlatformDependent.usedDirectMemory()));
    }

    FigureReports with(Figure figure, LongSupplier value) {
        figures.put(figure, value);
        return this;
    }

    FigureReports with(Map<Figure, LongSupplier> more) {
        figures.putAll(more);
        return this;
    }

    /// A spare that has never had a session has nothing to tell, and must not speak for the one at
    /// work. Some figures have to wait for a lock, so they are collected by a thread of their own:
    /// the caller's is the one that hears of rights that were taken away.
    void tell() {
        used = used || value(Figure.SESSIONS) > 0;
        if (used && busy.compareAndSet(false, true)) {
            Thread.ofVirtual().name("figures").start(this::collect);
        }
    }

    private void collect() {
        try {
            warden.accept(
                    new Message.Figures(
                            Arrays.stream(Figure.values()).map(this::value).toList(),
                            times.take()));
        } finally {
            busy.set(false);
        }
    }

    private long value(Figure figure) {
        return figures.getOrDefault(figure, () -> 0L).getAsLong();
    }
}
