package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// How much of the machine one sandbox may take.
///
/// @param memoryBytes empty where the runtime has no means to limit it
/// @param milliCpus thousandths of a processor; empty likewise
/// @param processes all of the sandbox's together; empty likewise
/// @param fileBytes size of one file
public record Resources(
        Optional<Long> memoryBytes,
        Optional<Long> milliCpus,
        Optional<Long> processes,
        long fileBytes) {
    public static final long PROCESSES = 4_096;
    public static final long FILE_BYTES = 32L << 30;

    /// For every process, where we set it ourselves.
    public static final long OPEN_FILES = 65_536;

    /// Of a sandbox on another machine, which sees to that.
    public static final Resources ELSEWHERE =
            new Resources(Optional.empty(), Optional.empty(), Optional.empty(), FILE_BYTES);

    private static final long MEMORY_BYTES_MIN = 2L << 30;

    /// Half of the machine's memory, so that one sandbox cannot take it all.
    public static long halfOfMemory() throws IOException {
        return halfOfMemory(Files.readString(Path.of("/proc/meminfo")));
    }

    static long halfOfMemory(String meminfo) {
        long kibibytes =
                meminfo.lines()
                        .filter(line -> line.startsWith("MemTotal:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                        .findFirst()
                        .orElse(0);
        return Math.max(MEMORY_BYTES_MIN, (kibibytes << 10) / 2);
    }

    /// What a sandbox has when nobody says anything.
    public static Resources standard(RuntimeKind runtime, Person person) throws IOException {
        return switch (runtime) {
            case DOCKER -> ofGroup();
            case BUBBLEWRAP ->
                    person.isRoot() && ControlGroups.find().isPresent()
                            ? ofGroup()
                            : ofProcesses(person);
            case REMOTE -> ELSEWHERE;
        };
    }

    /// For all processes of a sandbox together.
    private static Resources ofGroup() throws IOException {
        return new Resources(
                Optional.of(halfOfMemory()),
                Optional.of(Runtime.getRuntime().availableProcessors() * 1_000L),
                Optional.of(PROCESSES),
                FILE_BYTES);
    }

    /// Where there is no group, each process has its limits. The kernel counts no processes of
    /// root's against one.
    private static Resources ofProcesses(Person person) {
        Optional<Long> processes = person.isRoot() ? Optional.empty() : Optional.of(PROCESSES);
        return new Resources(Optional.empty(), Optional.empty(), processes, FILE_BYTES);
    }

    /// Whether only a [ControlGroup] can hold a bubblewrap sandbox to these.
    public boolean needGroup(Person person) {
        return memoryBytes.isPresent()
                || milliCpus.isPresent()
                || (processes.isPresent() && person.isRoot());
    }
}
