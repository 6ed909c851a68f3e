package dev.sallyport.sandbox;

import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/// The group that all processes of one sandbox are in, so that they keep to its limits together. In
/// version 1 it is several directories, one for each controller.
///
/// Which they are is written down with the sandbox's files before they are made, so that a later
/// warden, wherever it was started, finds and removes them.
public record ControlGroup(List<Path> directories) {
    private static final String NOTE = "control-groups";
    private static final String PREFIX = "sallyport-";
    private static final Duration REMOVE_MAX = Duration.ofSeconds(10);
    private static final long POLL_NANOS = 10_000_000;

    /// Time is shared out in slices of this length.
    private static final long PERIOD_MICROS = 100_000;

    /// Goes in before it becomes the rest of the command line. A process in which this failed does
    /// not go on.
    private static final String JOIN =
            "while [ \"$1\" != -- ]; do echo 0 > \"$1/"
                    + ControlGroups.PROCESSES
                    + "\" || { echo 'sallyport: cannot put this process under the limits of the sandbox' >&2; exit 126; };"
                    + " shift; done; shift; exec \"$@\"";

    public ControlGroup {
        directories = List.copyOf(directories);
    }

    /// Makes it, or sets the limits of the one that is there.
    public static ControlGroup make(ControlGroups groups, SandboxSpec spec)
            throws SandboxException {
        String name = name(spec.id());
        ControlGroup group =
                new ControlGroup(
                        new ArrayList<>(
                                new TreeSet<>(
                                        groups.places().values().stream()
                                                .map(place -> place.directory().resolve(name))
                                                .toList())));
        try {
            groups.enable();
            Files.write(
                    spec.files().resolve(NOTE),
                    group.directories.stream().map(Path::toString).toList());
            for (Path directory : group.directories) {
                if (!Files.isDirectory(directory)) {
                    Files.createDirectory(directory);
                }
            }
            for (var place : groups.places().entrySet()) {
                set(place.getKey(), place.getValue(), name, spec.resources());
            }
            return group;
        } catch (IOException e) {
            throw new SandboxException(
                    "the kernel rejects the limits of the sandbox: " + e.getMessage(), e);
        }
    }

    private static String name(SessionId id) {
        return PREFIX + id.value();
    }

    private static void set(
            ControlGroups.Controller controller,
            ControlGroups.Place place,
            String name,
            Resources resources)
            throws IOException {
        Path directory = place.directory().resolve(name);
        for (var setting : settings(controller, place.unified(), resources).entrySet()) {
            Path file = directory.resolve(setting.getKey());
            // Kernels that do not count swap have no file for it.
            boolean optional = setting.getKey().matches("memory\\.(memsw|swap)\\..*");
            if (!optional || Files.exists(file)) {
                Files.writeString(file, setting.getValue());
            }
        }
    }

    static Map<String, String> settings(
            ControlGroups.Controller controller, boolean unified, Resources resources) {
        Map<String, String> files = new LinkedHashMap<>();
        switch (controller) {
            case MEMORY ->
                    resources.memoryBytes().ifPresent(bytes -> memory(files, unified, bytes));
            case CPU -> resources.milliCpus().ifPresent(cpus -> processors(files, unified, cpus));
            case PIDS ->
                    resources
                            .processes()
                            .ifPresent(count -> files.put("pids.max", Long.toString(count)));
        }
        return files;
    }

    private static void memory(Map<String, String> files, boolean unified, long bytes) {
        files.put(unified ? "memory.max" : "memory.limit_in_bytes", Long.toString(bytes));
        if (unified) {
            files.put("memory.swap.max", "0");
        } else {
            files.put("memory.memsw.limit_in_bytes", Long.toString(bytes));
        }
    }

    private static void processors(Map<String, String> files, boolean unified, long milliCpus) {
        String quota = Long.toString(milliCpus * PERIOD_MICROS / 1_000);
        if (unified) {
            files.put("cpu.max", quota + " " + PERIOD_MICROS);
        } else {
            files.put("cpu.cfs_period_us", Long.toString(PERIOD_MICROS));
            files.put("cpu.cfs_quota_us", quota);
        }
    }

    /// That of a sandbox, if it has one.
    ///
    /// @param files the sandbox's directory, whose name is the session's id
    public static Optional<ControlGroup> of(Path files) throws SandboxException {
        Path note = files.resolve(NOTE);
        if (!Files.exists(note)) {
            return Optional.empty();
        }
        try {
            List<Path> directories = Files.readAllLines(note).stream().map(Path::of).toList();
            String name = PREFIX + files.getFileName();
            boolean ours = directories.stream().allMatch(path -> path.endsWith(name));
            if (!ours) {
                throw new SandboxException(note + " names a group that is not the sandbox's.");
            }
            return Optional.of(new ControlGroup(directories));
        } catch (IOException e) {
            throw new SandboxException("cannot read " + note + ": " + e.getMessage(), e);
        }
    }

    /// The beginning of a command line that joins the group and then becomes the rest.
    public List<String> joining() {
        List<String> argv = new ArrayList<>(List.of("/bin/sh", "-c", JOIN, "sallyport"));
        directories.forEach(directory -> argv.add(directory.toString()));
        argv.add("--");
        return argv;
    }

    /// Ends what is still in it, such as a command on its way into the sandbox, and removes it.
    public void remove() throws SandboxException {
        long deadline = System.nanoTime() + REMOVE_MAX.toNanos();
        for (Path directory : directories) {
            while (!isRemoved(directory)) {
                if (System.nanoTime() - deadline > 0) {
                    throw new SandboxException(
                            "processes in " + directory + " do not end. Try again.");
                }
                killAll(directory);
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    private static boolean isRemoved(Path directory) {
        try {
            Files.deleteIfExists(directory);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void killAll(Path directory) throws SandboxException {
        for (String pid : processes(directory)) {
            PidDescriptor.kill(Long.parseLong(pid), () -> processes(directory).contains(pid));
        }
    }

    /// Those of other pid namespaces have no number here, and are told as 0.
    private static List<String> processes(Path directory) {
        try {
            return Files.readAllLines(directory.resolve(ControlGroups.PROCESSES)).stream()
                    .filter(pid -> !pid.equals("0"))
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
