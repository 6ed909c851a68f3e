package dev.sallyport.warden;

import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxRuntime;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The runtimes that sandboxes can be made with, and which one is meant when nobody says.
final class Runtimes {
    private static final String READY = "ready";

    private final Map<RuntimeKind, SandboxRuntime> byKind = new EnumMap<>(RuntimeKind.class);

    Runtimes(List<SandboxRuntime> runtimes) {
        runtimes.forEach(runtime -> byKind.put(runtime.kind(), runtime));
    }

    SandboxRuntime of(RuntimeKind kind) {
        SandboxRuntime runtime = byKind.get(kind);
        if (runtime == null) {
            throw new IllegalStateException("no runtime " + kind);
        }
        return runtime;
    }

    Collection<SandboxRuntime> all() {
        return byKind.values();
    }

    /// The one that was asked for; otherwise Docker where an engine answers, else bubblewrap. One
    /// that cannot be used is refused with what is missing.
    SandboxRuntime choose(Optional<String> wanted) throws OperationException {
        SandboxRuntime runtime = of(wanted.isPresent() ? parse(wanted.get()) : standard());
        Optional<String> obstacle = runtime.obstacle();
        if (obstacle.isPresent()) {
            throw new OperationException(
                    OperationException.Fault.UNAVAILABLE,
                    "The runtime " + runtime.kind().label() + " cannot be used here.",
                    obstacle.get());
        }
        return runtime;
    }

    private RuntimeKind standard() {
        SandboxRuntime docker = byKind.get(RuntimeKind.DOCKER);
        return docker != null && docker.obstacle().isEmpty()
                ? RuntimeKind.DOCKER
                : RuntimeKind.BUBBLEWRAP;
    }

    private static RuntimeKind parse(String label) throws OperationException {
        return Arrays.stream(RuntimeKind.values())
                .filter(kind -> kind.label().equals(label))
                .findFirst()
                .orElseThrow(
                        () ->
                                OperationException.invalid(
                                        "There is no such runtime.", "Use docker or bubblewrap."));
    }

    /// Each runtime with `ready` or the sentence that says what is missing.
    Map<String, String> states() {
        Map<String, String> states = new TreeMap<>();
        byKind.forEach(
                (kind, runtime) -> states.put(kind.label(), runtime.obstacle().orElse(READY)));
        return states;
    }
}
