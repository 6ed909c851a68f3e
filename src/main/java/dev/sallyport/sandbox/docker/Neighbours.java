package dev.sallyport.sandbox.docker;

import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.ContainerHostConfig;
import dev.sallyport.sandbox.ProcessIdentity;
import dev.sallyport.sandbox.SandboxException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/// The other containers of the engine, and which network namespace the kernel says that each is in.
/// What a container was made to join is only what the engine knows: its first process may have
/// entered another namespace since.
///
/// There may be hundreds of them, so the engine is asked for each one's first process only once,
/// and again when that process is gone; the kernel is asked every time.
final class Neighbours {
    private static final String SHARED_NETWORK = "container:";

    private final DockerEngine engine;
    private final Map<String, ProcessIdentity> first = new ConcurrentHashMap<>();

    Neighbours(DockerEngine engine) {
        this.engine = engine;
    }

    /// Another container that is, or was made to be, in the namespace of this one.
    Optional<Container> sharing(String id, long netNamespaceInode) throws SandboxException {
        List<Container> running = engine.running();
        first.keySet()
                .retainAll(running.stream().map(Container::getId).collect(Collectors.toSet()));
        for (Container other : running) {
            if (!other.getId().equals(id)
                    && (joins(other, id) || isIn(other.getId(), netNamespaceInode))) {
                return Optional.of(other);
            }
        }
        return Optional.empty();
    }

    private static boolean joins(Container other, String id) {
        return Optional.ofNullable(other.getHostConfig())
                .map(ContainerHostConfig::getNetworkMode)
                .filter((SHARED_NETWORK + id)::equals)
                .isPresent();
    }

    /// A process that has ended meanwhile is in no namespace.
    private boolean isIn(String other, long netNamespaceInode) throws SandboxException {
        ProcessIdentity known = first.get(other);
        Optional<ProcessIdentity> now = Optional.empty();
        if (known != null) {
            now =
                    ProcessIdentity.of(known.pid())
                            .filter(process -> process.startTicks() == known.startTicks());
        }
        if (now.isEmpty()) {
            now =
                    engine.find(other)
                            .map(found -> found.getState().getPidLong())
                            .filter(pid -> pid > 0)
                            .flatMap(ProcessIdentity::of);
        }
        now.ifPresent(process -> first.put(other, process));
        return now.filter(process -> process.netNamespaceInode() == netNamespaceInode).isPresent();
    }
}
