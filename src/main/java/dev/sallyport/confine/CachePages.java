package dev.sallyport.confine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Those pages of this JVM's class cache that are never written to. Nearly all of them are read
/// once, at start, and then held for as long as the process lives; given back, the few that are
/// needed come again from the kernel's copy of the file.
public final class CachePages {
    /// As often as free memory of the C library goes back (`TrimNativeHeapInterval`).
    private static final int PERIOD_SECONDS = 30;

    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final String READ_ONLY = "r--p";
    private static final long MADV_DONTNEED = 4;
    private static final int HEX = 16;

    record Range(long from, long to) {
        /// @param mapping a line such as `33c9000-33d2000 r--p …`
        static Range of(String mapping) {
            String[] ends = mapping.substring(0, mapping.indexOf(' ')).split("-", 2);
            return new Range(
                    Long.parseUnsignedLong(ends[0], HEX), Long.parseUnsignedLong(ends[1], HEX));
        }
    }

    private final List<Range> ranges;

    private CachePages(List<Range> ranges) {
        this.ranges = ranges;
    }

    /// None without a cache, or when nobody says where it is.
    static CachePages ofThisProcess() {
        try (Stream<String> mappings = Files.lines(MAPS)) {
            return new CachePages(readOnly(mappings));
        } catch (IOException | UncheckedIOException _) {
            return new CachePages(List.of());
        }
    }

    static List<Range> readOnly(Stream<String> mappings) {
        return mappings.filter(m -> m.contains(' ' + READ_ONLY + ' ') && m.endsWith(".aot"))
                .map(Range::of)
                .toList();
    }

    /// Gives them back now and then. Must not be called on an event loop.
    public static void giveBackWith(ScheduledExecutorService timer) {
        CachePages pages = ofThisProcess();
        var _ =
                timer.scheduleWithFixedDelay(
                        pages::giveBack, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
    }

    /// Where the kernel refuses, they stay. Of memory that can be written to this would lose what
    /// was written.
    void giveBack() {
        for (Range range : ranges) {
            Kernel.call(Syscall.MADVISE, range.from(), range.to() - range.from(), MADV_DONTNEED, 0);
        }
    }
}
