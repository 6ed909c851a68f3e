package dev.sallyport.sandbox.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.Container;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.ProcessIdentity;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.Sighting;
import dev.sallyport.sandbox.Workspace;
import java.util.Optional;

/// Looks who runs where a sandbox's container should be (I1, I3).
record DockerSight(DockerEngine engine, ContainerShape shape, Neighbours neighbours) {
    /// A container that is being restarted contradicts itself for a moment; one that may have no
    /// doors does so for good.
    private static final int LOOKS_MAX = 3;

    Sighting look(SandboxSpec spec, Identity known) {
        try {
            Sighting container = container(spec, known);
            return container.refused().isPresent()
                    ? container
                    : container.beside(impostor(spec, known));
        } catch (SandboxException e) {
            return withoutEngine(known);
        }
    }

    private Sighting container(SandboxSpec spec, Identity known) throws SandboxException {
        Sighting last = Sighting.NOTHING;
        for (int looks = 0; looks < LOOKS_MAX; looks++) {
            Optional<InspectContainerResponse.ContainerState> state = running(known);
            if (state.isEmpty()) {
                return Sighting.NOTHING;
            }
            last = verified(spec, known);
            if (last.running().isPresent()) {
                return last.paused(Boolean.TRUE.equals(state.get().getPaused()));
            }
        }
        return running(known).isPresent() ? last : Sighting.NOTHING;
    }

    private Optional<InspectContainerResponse.ContainerState> running(Identity known)
            throws SandboxException {
        return engine.find(known.runtimeId())
                .map(InspectContainerResponse::getState)
                .filter(state -> Boolean.TRUE.equals(state.getRunning()));
    }

    /// An engine that is being restarted may leave its containers running: then the kernel knows
    /// the process. A new one has to wait for the engine's word.
    private static Sighting withoutEngine(Identity known) {
        return ProcessIdentity.isAlive(known)
                ? Sighting.of(known, "kernel, while the engine does not answer")
                : Sighting.NOTHING;
    }

    private Sighting verified(SandboxSpec spec, Identity known) {
        try {
            Workspace.requireUnchanged(spec);
            Identity now =
                    new DockerIdentity(engine, shape, neighbours).of(known.runtimeId(), spec);
            return Sighting.of(now, "Docker engine and kernel");
        } catch (SandboxException e) {
            return Sighting.refused(String.valueOf(e.getMessage()));
        }
    }

    /// Another container that runs under our name or with our labels, which anybody with the engine
    /// can give to one.
    private Optional<String> impostor(SandboxSpec spec, Identity known) throws SandboxException {
        return engine.running().stream()
                .filter(other -> poses(other, spec))
                .filter(other -> !other.getId().equals(known.runtimeId()))
                .map(
                        other ->
                                "the container "
                                        + DockerIdentity.brief(other.getId())
                                        + " has the sandbox's name or labels but is a different one")
                .findFirst();
    }

    private static boolean poses(Container other, SandboxSpec spec) {
        return ContainerShape.isNamed(other, spec)
                || spec.id().value().equals(ContainerShape.sessionOf(other.getLabels()));
    }
}
