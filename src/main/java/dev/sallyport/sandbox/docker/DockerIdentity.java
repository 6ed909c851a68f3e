package dev.sallyport.sandbox.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.ContainerNetwork;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.ProcessFilter;
import dev.sallyport.sandbox.ProcessIdentity;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.UserNamespace;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Establishes who a running container is, from the engine's word and the kernel's. What a
/// container is called proves nothing: its id is the engine's own, and is compared in full.
record DockerIdentity(DockerEngine engine, ContainerShape shape, Neighbours neighbours) {
    /// @throws SandboxException when it does not run, or is nobody who may have doors
    Identity of(String id, SandboxSpec spec) throws SandboxException {
        InspectContainerResponse container = engine.inspect(id);
        requireOurs(container, spec.id());
        requireRuntime(container, spec);
        requireNoNetwork(container);
        ProcessIdentity first = process(pid(container));
        requireUserNamespace(first.pid(), spec);
        requireFilter(container, first.pid());
        requireOwnNamespace(container.getId(), first);
        // The engine is asked again: only if it names the same process while that is pinned by its
        // start time is what was read about the number true of the container.
        Identity found = first.named(container.getId());
        if (pid(engine.inspect(id)) != first.pid() || !ProcessIdentity.isAlive(found)) {
            throw new SandboxException("the container was restarted in the meantime. Try again.");
        }
        return found;
    }

    private static long pid(InspectContainerResponse container) throws SandboxException {
        Long pid = container.getState().getPidLong();
        if (pid == null || pid <= 0) {
            throw new SandboxException(
                    "the container ended at once. Its image must contain `sleep`; try another with --image.");
        }
        return pid;
    }

    private void requireOurs(InspectContainerResponse container, SessionId session)
            throws SandboxException {
        Map<String, String> labels =
                Objects.requireNonNullElse(container.getConfig().getLabels(), Map.of());
        if (!labels.entrySet().containsAll(shape.labels(session).entrySet())) {
            throw new SandboxException(
                    "the container was not created by Sallyport: its labels are missing. Destroy the sandbox and create it again.");
        }
    }

    private static void requireRuntime(InspectContainerResponse container, SandboxSpec spec)
            throws SandboxException {
        Optional<String> wanted = spec.hardening().runtimeClass();
        String found = String.valueOf(container.getHostConfig().getRuntime());
        if (wanted.isPresent() && !wanted.get().equals(found)) {
            throw new SandboxException(
                    "the container is run by %s and not by %s. Destroy the sandbox and create it again."
                            .formatted(found, wanted.get()));
        }
    }

    /// What the engine was asked for, and what the kernel does. Also an earlier version's filter is
    /// another one: what it lets through is not what is promised now.
    private static void requireFilter(InspectContainerResponse container, long pid)
            throws SandboxException {
        List<String> asked =
                Objects.requireNonNullElse(container.getHostConfig().getSecurityOpts(), List.of());
        if (!asked.contains(ContainerShape.FILTER)) {
            throw new SandboxException(
                    "the container's system call filter is not the one of this version. Copy what you need out of it with docker cp, then destroy the sandbox and create it again.");
        }
        if (!HostKernel.becomes(() -> ProcessFilter.isOn(pid))) {
            throw new SandboxException(
                    "the container runs without the system call filter it was created with. Destroy it and choose another --runtime-class.");
        }
    }

    private static void requireUserNamespace(long pid, SandboxSpec spec) throws SandboxException {
        if (spec.hardening().userNamespace() && !UserNamespace.isOwn(pid).orElse(false)) {
            throw new SandboxException(
                    "the container must have its own user namespace and has none. Destroy it and create it again.");
        }
    }

    /// A network can be connected to a container that was made without.
    private static void requireNoNetwork(InspectContainerResponse container)
            throws SandboxException {
        Map<String, ContainerNetwork> networks =
                Objects.requireNonNullElse(container.getNetworkSettings().getNetworks(), Map.of());
        boolean none = networks.keySet().stream().allMatch(ContainerShape.NETWORK::equals);
        if (!none || !ContainerShape.NETWORK.equals(container.getHostConfig().getNetworkMode())) {
            throw new SandboxException(
                    "the container has a network, and no sandbox may have one. Destroy it and create it again.");
        }
    }

    private void requireOwnNamespace(String id, ProcessIdentity first) throws SandboxException {
        if (first.netNamespaceInode()
                == process(ProcessHandle.current().pid()).netNamespaceInode()) {
            throw new SandboxException(
                    "the container shares the host's network, and no sandbox may. Destroy it and create it again.");
        }
        Optional<Container> other = neighbours.sharing(id, first.netNamespaceInode());
        if (other.isPresent()) {
            throw new SandboxException(
                    "the container "
                            + brief(other.get().getId())
                            + " shares the sandbox's network namespace, so Sallyport cannot tell which of them sends a request. Remove that container.");
        }
    }

    static String brief(String id) {
        return id.substring(0, Math.min(12, id.length()));
    }

    private static ProcessIdentity process(long pid) throws SandboxException {
        return ProcessIdentity.of(pid)
                .orElseThrow(
                        () ->
                                new SandboxException(
                                        "process "
                                                + pid
                                                + " of the container cannot be inspected. If the engine runs as root, so must Sallyport."));
    }
}
