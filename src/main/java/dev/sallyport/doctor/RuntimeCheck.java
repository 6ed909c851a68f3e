package dev.sallyport.doctor;

import dev.sallyport.sandbox.docker.EngineReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Whether a sandbox could be made right now, and what the container engine is.
///
/// @param bubblewrapObstacle what stands against bubblewrap, found by trying
/// @param dockerObstacle what stands against Docker
record RuntimeCheck(
        Supplier<Optional<String>> bubblewrapObstacle,
        Supplier<Optional<String>> dockerObstacle,
        Supplier<Optional<EngineReport>> engine)
        implements Check {

    @Override
    public List<Finding> look() {
        Optional<String> bubblewrap = bubblewrapObstacle.get();
        Optional<String> docker = dockerObstacle.get();
        boolean none = bubblewrap.isPresent() && docker.isPresent();
        List<Finding> findings = new ArrayList<>();
        findings.add(runtime("sandbox with bubblewrap", bubblewrap, none));
        findings.add(runtime("sandbox with docker", docker, none));
        engine.get().ifPresent(report -> findings.addAll(engine(report)));
        return findings;
    }

    /// One of the two is enough.
    private static Finding runtime(String subject, Optional<String> obstacle, boolean none) {
        if (obstacle.isEmpty()) {
            return Finding.ok(subject, "works");
        }
        return none
                ? Finding.fail(subject, "does not work", obstacle.get())
                : Finding.warn(subject, "does not work", obstacle.get());
    }

    private static List<Finding> engine(EngineReport report) {
        String users =
                report.rootless()
                        ? ", rootless"
                        : report.userNamespaces() ? ", users remapped" : ", runs as root";
        return List.of(
                Finding.ok("Docker engine", report.version() + users),
                report.seccomp()
                        ? Finding.ok("Docker's seccomp", "on")
                        : Finding.fail(
                                "Docker's seccomp",
                                "off: containers can use every system call",
                                "Use an engine and kernel with seccomp; see: docker info"),
                report.liveRestore()
                        ? Finding.ok("Docker's live-restore", "on")
                        : Finding.warn(
                                "Docker's live-restore",
                                "off: restarting the engine ends sandboxes",
                                "Put \"live-restore\": true into the engine's daemon.json."));
    }
}
