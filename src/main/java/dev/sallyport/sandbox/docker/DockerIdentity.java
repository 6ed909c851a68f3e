package dev.sallyport.sandbox.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.ProcessIdentity;
import dev.sallyport.sandbox.SandboxException;

/// Establishes who a running container is, from the engine's word and the kernel's.
final class DockerIdentity {
    private DockerIdentity() {}

    static Identity of(InspectContainerResponse container) throws SandboxException {
        Long pid = container.getState().getPidLong();
        if (pid == null || pid <= 0) {
            throw new SandboxException(
                    "the container ended at once. Its image must contain `sleep`; try another with --image.");
        }
        if (!ContainerShape.NETWORK.equals(container.getHostConfig().getNetworkMode())) {
            throw new SandboxException(
                    "the container has a network of its own, which no sandbox may have. Destroy it and make it anew.");
        }
        ProcessIdentity first = process(pid);
        ProcessIdentity ours = process(ProcessHandle.current().pid());
        if (first.netNamespaceInode() == ours.netNamespaceInode()) {
            throw new SandboxException(
                    "the container shares the host's network, which no sandbox may. Destroy it and make it anew.");
        }
        return first.named(container.getId());
    }

    private static ProcessIdentity process(long pid) throws SandboxException {
        return ProcessIdentity.of(pid)
                .orElseThrow(
                        () ->
                                new SandboxException(
                                        "process "
                                                + pid
                                                + " of the container cannot be examined. If the engine runs as root, so must Sallyport."));
    }
}
