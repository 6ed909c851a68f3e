package dev.sallyport.warden;

import dev.sallyport.control.Api;
import dev.sallyport.sandbox.ControlGroups;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.Resources;
import dev.sallyport.sandbox.RuntimeKind;
import java.util.Optional;

/// Checks what a sandbox may take of the machine. What a runtime cannot hold is refused, not
/// ignored.
final class ResourceRequests {
    private static final long MEMORY_BYTES_MIN = 16L << 20;
    private static final long MILLI_CPUS_MIN = 10;
    private static final long PROCESSES_MIN = 16;
    private static final long FILE_BYTES_MIN = 1L << 20;

    static Resources of(Api.ResourceRequest request, RuntimeKind runtime, Patron patron)
            throws OperationException {
        boolean group =
                runtime == RuntimeKind.DOCKER
                        || (patron.entersGroups() && ControlGroups.find().isPresent());
        return check(request, usual(runtime, patron.person()), group);
    }

    /// @param group whether all processes of a sandbox can be held together
    static Resources check(Api.ResourceRequest request, Resources usual, boolean group)
            throws OperationException {
        long cpus = Runtime.getRuntime().availableProcessors() * 1_000L;
        requireMeans("--memory", request.memoryBytes(), group || usual.memoryBytes().isPresent());
        requireMeans("--cpus", request.milliCpus(), group || usual.milliCpus().isPresent());
        requireMeans("--pids", request.processes(), group || usual.processes().isPresent());
        return new Resources(
                chosen(
                        "--memory",
                        request.memoryBytes(),
                        usual.memoryBytes(),
                        MEMORY_BYTES_MIN,
                        Long.MAX_VALUE,
                        "at least 16m"),
                chosen(
                        "--cpus",
                        request.milliCpus(),
                        usual.milliCpus(),
                        MILLI_CPUS_MIN,
                        cpus,
                        "between 0.01 and %d (the processors of this machine)"
                                .formatted(cpus / 1_000)),
                chosen(
                        "--pids",
                        request.processes(),
                        usual.processes(),
                        PROCESSES_MIN,
                        Integer.MAX_VALUE,
                        "between 16 and " + Integer.MAX_VALUE),
                chosen(
                                "--file-size",
                                request.fileBytes(),
                                Optional.of(usual.fileBytes()),
                                FILE_BYTES_MIN,
                                Long.MAX_VALUE,
                                "at least 1m")
                        .orElseThrow());
    }

    private static Resources usual(RuntimeKind runtime, Person person) throws OperationException {
        return OperationException.asking(() -> Resources.standard(runtime, person));
    }

    private static void requireMeans(String option, Optional<Long> asked, boolean held)
            throws OperationException {
        if (asked.isPresent() && !held) {
            throw OperationException.invalid(
                    "The runtime bubblewrap cannot enforce " + option + " here.",
                    "Leave it out, add --runtime docker, or give Sallyport its own cgroup (docs/hardening.md).");
        }
    }

    private static Optional<Long> chosen(
            String option,
            Optional<Long> asked,
            Optional<Long> usual,
            long min,
            long max,
            String range)
            throws OperationException {
        if (asked.isEmpty()) {
            return usual;
        }
        if (asked.get() < min || asked.get() > max) {
            throw OperationException.invalid(
                    option + " must be " + range + ".", "Use another value, or leave it out.");
        }
        return asked;
    }
}
