package dev.sallyport.proof;

import dev.sallyport.sandbox.Inmates;
import dev.sallyport.sandbox.ProcessFilter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// What a command in the sandbox may do beyond running.
record PrivilegeRows(Subject subject, Testimony inside) {
    /// Without the bounding set: it limits what `execve` could add, and with no new privileges, the
    /// row after this one, that is nothing.
    private static final List<String> CAPABILITIES =
            List.of("CapInh", "CapPrm", "CapEff", "CapAmb");

    /// `EPERM`, `ENOSYS` and `EAFNOSUPPORT`. Anything else is a kernel that has looked at the call.
    private static final List<String> REFUSALS = List.of(" 1", " 38", " 97");

    private static final Duration ENTRY_MAX = Duration.ofSeconds(5);
    private static final long POLL_NANOS = 20_000_000;

    List<Row> rows() {
        return List.of(
                capabilities(),
                status("NoNewPrivs", "1"),
                status("Seccomp", "2"),
                filtered(),
                call("AF_VSOCK and AF_ALG sockets", List.of("vsock", "alg")),
                call("io_uring", List.of("io_uring")),
                call("a namespace with rights of its own", List.of("namespace")),
                masked(),
                closed());
    }

    private Row capabilities() {
        List<String> held = new ArrayList<>();
        for (String set : CAPABILITIES) {
            String value = inside.field("status", set).orElse("unknown");
            if (!value.matches("0+")) {
                held.add(set + " " + value);
            }
        }
        return Row.of(
                "capabilities of a command",
                "none in any set",
                held.isEmpty(),
                held.isEmpty() ? "none" : String.join(", ", held));
    }

    private Row status(String field, String wanted) {
        String seen = inside.field("status", field).orElse("unknown");
        return Row.of(field + " of a command", wanted, seen.equals(wanted), seen);
    }

    /// Read from outside. One that is just entering is waited for.
    private Row filtered() {
        String probe = "system call filter, from outside";
        String expected = "on every process";
        try {
            long deadline = System.nanoTime() + ENTRY_MAX.toNanos();
            List<Path> without = unfiltered();
            while (!without.isEmpty() && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(POLL_NANOS);
                without = unfiltered();
            }
            String seen = without.isEmpty() ? expected : "not on " + without;
            return Row.of(probe, expected, without.isEmpty(), seen);
        } catch (IOException e) {
            return Row.notProbed(probe, expected, String.valueOf(e.getMessage()));
        }
    }

    private List<Path> unfiltered() throws IOException {
        return Inmates.of(subject.identity()).inside().stream()
                .filter(process -> !ProcessFilter.mode(process).orElse("2").equals("2"))
                .toList();
    }

    /// Both runtimes refuse it, whatever the kernel has and the engine's own profile says. An
    /// ordinary socket opens, so that it is not the probe that fails.
    private Row call(String probe, List<String> tried) {
        String expected = "refused, while an ordinary socket opens";
        if (inside.part("calls").isEmpty()) {
            return Row.notProbed(probe, expected, "the sandbox has neither perl nor python3");
        }
        List<String> said = inside.lines("calls");
        boolean holds =
                said.contains("inet 0")
                        && tried.stream()
                                .allMatch(
                                        name ->
                                                REFUSALS.stream()
                                                        .anyMatch(e -> said.contains(name + e)));
        return Row.of(probe, expected, holds, holds ? "refused" : String.join(", ", said));
    }

    private Row masked() {
        List<String> shown = inside.lines("unmasked");
        return Row.of(
                "the kernel's tables in /proc",
                "hidden",
                inside.part("unmasked").isPresent() && shown.isEmpty(),
                shown.isEmpty() ? "hidden" : String.join(" ", shown));
    }

    /// `/dev/null` opens, so that it is not the probe that fails.
    private Row closed() {
        List<String> open = inside.lines("writable");
        boolean control = inside.lines("control").contains("opened");
        return Row.of(
                "open settings of kernel and gateway for writing",
                "refused, while /dev/null opens",
                control && open.isEmpty(),
                open.isEmpty() ? control ? "refused" : "nothing opens" : String.join(" ", open));
    }
}
