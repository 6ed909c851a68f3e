package dev.sallyport.warden;

import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.LongWork;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxRuntime;
import dev.sallyport.sandbox.bubblewrap.BubblewrapRuntime;
import dev.sallyport.sandbox.docker.DockerRuntime;
import java.net.URI;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/// The runtimes that sandboxes can be made with, and which one is meant when nobody says. Each is
/// made when it is first needed: a container engine's client takes longer to load than a bubblewrap
/// sandbox to start.
final class Runtimes {
    private static final String READY = "ready";

    /// Those that somebody can ask for here.
    private static final List<RuntimeKind> LOCAL =
            List.of(RuntimeKind.DOCKER, RuntimeKind.BUBBLEWRAP);

    private final Function<RuntimeKind, SandboxRuntime> factory;
    private final Function<RuntimeKind, Optional<String>> closed;
    private final Map<RuntimeKind, SandboxRuntime> made = new EnumMap<>(RuntimeKind.class);

    /// @param closed why a runtime is not for those whom we work for
    Runtimes(
            Function<RuntimeKind, SandboxRuntime> factory,
            Function<RuntimeKind, Optional<String>> closed) {
        this.factory = factory;
        this.closed = closed;
    }

    /// Those of this machine.
    ///
    /// @param certificates of the sessions of other machines
    static Runtimes real(Patron patron, LongWork work, RemoteRuntime.Certificates certificates) {
        return new Runtimes(
                kind -> runtime(kind, patron, work, certificates), kind -> closed(kind, patron));
    }

    private static SandboxRuntime runtime(
            RuntimeKind kind,
            Patron patron,
            LongWork work,
            RemoteRuntime.Certificates certificates) {
        Installation installation = patron.installation();
        return switch (kind) {
            case BUBBLEWRAP -> new BubblewrapRuntime(installation, patron.person(), patron.guise());
            case DOCKER -> new DockerRuntime(installation, patron.person(), engine(), work);
            case REMOTE -> new RemoteRuntime(certificates);
        };
    }

    private static Optional<String> closed(RuntimeKind kind, Patron patron) {
        return switch (kind) {
            case BUBBLEWRAP, REMOTE -> Optional.empty();
            case DOCKER -> patron.engineClosed(engine());
        };
    }

    private static URI engine() {
        return DockerRuntime.engine(System.getenv());
    }

    private Optional<String> obstacle(RuntimeKind kind) {
        return closed.apply(kind).or(() -> of(kind).obstacle());
    }

    synchronized SandboxRuntime of(RuntimeKind kind) {
        return made.computeIfAbsent(kind, factory);
    }

    /// Those without an obstacle.
    List<SandboxRuntime> usable() {
        return LOCAL.stream().filter(kind -> obstacle(kind).isEmpty()).map(this::of).toList();
    }

    /// The one that was asked for; otherwise Docker where an engine answers, else bubblewrap. One
    /// that cannot be used is refused with what is missing.
    SandboxRuntime choose(Optional<String> wanted) throws OperationException {
        if (wanted.isEmpty() && obstacle(RuntimeKind.DOCKER).isEmpty()) {
            return of(RuntimeKind.DOCKER);
        }
        RuntimeKind kind = wanted.isPresent() ? parse(wanted.get()) : RuntimeKind.BUBBLEWRAP;
        return require(kind, obstacle(kind));
    }

    /// For a sandbox that is there: who has lost the right to a runtime does not start it again.
    SandboxRuntime requireOpen(RuntimeKind kind) throws OperationException {
        return require(kind, closed.apply(kind));
    }

    private SandboxRuntime require(RuntimeKind kind, Optional<String> obstacle)
            throws OperationException {
        if (obstacle.isPresent()) {
            throw OperationException.unavailable(
                    "The runtime " + kind.label() + " cannot be used here.", obstacle.get());
        }
        return of(kind);
    }

    private static RuntimeKind parse(String label) throws OperationException {
        return LOCAL.stream()
                .filter(kind -> kind.label().equals(label))
                .findFirst()
                .orElseThrow(
                        () ->
                                OperationException.invalid(
                                        "Unknown runtime.", "Use docker or bubblewrap."));
    }

    /// Each runtime with `ready` or the sentence that says what is missing.
    Map<String, String> states() {
        Map<String, String> states = new TreeMap<>();
        for (RuntimeKind kind : LOCAL) {
            states.put(kind.label(), obstacle(kind).orElse(READY));
        }
        return states;
    }
}
