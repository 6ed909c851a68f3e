package dev.sallyport.session;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/// One point in time on two clocks: the wall's, which anybody with the right can set, and the
/// machine's time since it was started, which counts on while it sleeps and which nobody can set.
///
/// @param boot which start of the machine `uptime` counts from
public record Moment(Instant wall, String boot, Duration uptime) {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /// Seconds of `CLOCK_BOOTTIME`; `System.nanoTime` stands still while the machine is suspended.
    private static final Path UPTIME = Path.of("/proc/uptime");

    /// Tells the time; a test's own may be set.
    public interface Source {
        Moment now();
    }

    public static Moment now() {
        try {
            String seconds = Files.readString(UPTIME).split(" ", 2)[0];
            return new Moment(
                    Instant.ofEpochMilli(System.currentTimeMillis()),
                    Files.readString(BOOT_ID).strip(),
                    Duration.ofMillis((long) (Double.parseDouble(seconds) * 1_000)));
        } catch (IOException e) {
            throw new UncheckedIOException("the time since the machine was started", e);
        }
    }

    /// What time it is at `later`, if it was this one's wall time here: whichever clock has moved
    /// on further is believed, and none when both went back.
    Instant at(Moment later) {
        Instant byUptime = boot.equals(later.boot) ? wall.plus(later.uptime.minus(uptime)) : wall;
        Instant latest = byUptime.isAfter(wall) ? byUptime : wall;
        return later.wall.isAfter(latest) ? later.wall : latest;
    }

    Moment onward(Moment later) {
        return new Moment(at(later), later.boot, later.uptime);
    }
}
