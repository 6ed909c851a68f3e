package dev.sallyport.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/// What processes use, and what the machine does besides, as the kernel counts it. The gateway
/// refuses to be attached to, so all of it is seen from outside.
final class Usage {
    private static final double TICKS_PER_SECOND = 100;
    private static final long SAMPLE_NANOS = 200_000_000;

    private Usage() {}

    /// The warden and its gateways, the spare one included, without the sandboxes.
    static List<Long> processesOf(Installation installation) {
        return Stream.concat(
                        Stream.of(warden(installation)),
                        children(installation, "internal-gateway").stream())
                .toList();
    }

    /// The processes that the warden has started in this role.
    static List<Long> children(Installation installation, String role) {
        return ProcessHandle.of(warden(installation))
                .orElseThrow()
                .children()
                .map(ProcessHandle::pid)
                .filter(pid -> text(pid, "cmdline").contains(role))
                .toList();
    }

    private static long warden(Installation installation) {
        try {
            String answer = installation.sallyport("status", "--json").run().ok();
            return new ObjectMapper().readTree(answer).get("wardenPid").asLong();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// One process and all that it has started.
    static List<Long> processesOf(Process process) {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .map(ProcessHandle::pid)
                .toList();
    }

    /// A system property that a JVM was started with.
    static String property(long process, String name) {
        String option = "-D" + name + "=";
        return text(process, "cmdline")
                .transform(line -> Arrays.stream(line.split("\0", -1)))
                .filter(argument -> argument.startsWith(option))
                .map(argument -> argument.substring(option.length()))
                .findFirst()
                .orElse("/nonexistent");
    }

    static double cpuSeconds(List<Long> processes) {
        return processes.stream().mapToDouble(Usage::ticks).sum() / TICKS_PER_SECOND;
    }

    /// A process that has ended counts as none.
    private static double ticks(long process) {
        String stat = text(process, "stat");
        if (stat.isEmpty()) {
            return 0;
        }
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Double.parseDouble(fields[11]) + Double.parseDouble(fields[12]);
    }

    /// Proportional set size: pages that processes share are counted once.
    static double mebibytes(List<Long> processes) {
        return processes.stream()
                        .flatMap(process -> text(process, "smaps_rollup").lines())
                        .filter(line -> line.startsWith("Pss:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                        .sum()
                / 1024.0;
    }

    /// What the machine could still give to programs.
    static double freeGibibytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/meminfo")).stream()
                        .filter(line -> line.startsWith("MemAvailable:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                        .findFirst()
                        .orElseThrow()
                / 1048576.0;
    }

    private static String text(long process, String file) {
        try {
            Path path = Path.of("/proc", Long.toString(process), file);
            return Files.readString(path, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /// The highest use of memory while it is open.
    static final class Peak implements AutoCloseable {
        private final List<Long> processes;
        private final Thread sampler;
        private volatile boolean done;
        private double mebibytes;

        Peak(List<Long> processes) {
            this.processes = processes;
            this.mebibytes = Usage.mebibytes(processes);
            this.sampler = Thread.ofPlatform().daemon().start(this::sample);
        }

        private void sample() {
            while (!done) {
                mebibytes = Math.max(mebibytes, Usage.mebibytes(processes));
                LockSupport.parkNanos(SAMPLE_NANOS);
            }
        }

        /// After the end.
        double mebibytes() {
            return mebibytes;
        }

        @Override
        public void close() {
            done = true;
            LockSupport.unpark(sampler);
            try {
                sampler.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static double load() throws IOException {
        return Double.parseDouble(Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0]);
    }

    /// Where the time of all processors has gone, in ticks since the machine started.
    record Clock(double all, double idle, double stolen) {
        static Clock now() throws IOException {
            String first = Files.readAllLines(Path.of("/proc/stat")).getFirst();
            double[] ticks =
                    Arrays.stream(first.split(" +"))
                            .skip(1)
                            .limit(8)
                            .mapToDouble(Double::parseDouble)
                            .toArray();
            return new Clock(Arrays.stream(ticks).sum(), ticks[3] + ticks[4], ticks[7]);
        }

        /// Of the time since `before`, the share in which processors were at work.
        double busySince(Clock before) {
            return 1 - (idle - before.idle) / Math.max(1, all - before.all);
        }

        /// The share that the host of this virtual machine gave to others.
        double stolenSince(Clock before) {
            return (stolen - before.stolen) / Math.max(1, all - before.all);
        }
    }
}
