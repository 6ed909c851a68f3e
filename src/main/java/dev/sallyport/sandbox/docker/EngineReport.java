package dev.sallyport.sandbox.docker;

import com.github.dockerjava.api.model.Info;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.SandboxException;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// What a Docker engine says about itself, and which sandboxes of one installation it holds.
///
/// @param userNamespaces whether root in a container is somebody else outside
/// @param sessions ids that containers of this installation are labelled with
public record EngineReport(
        String version,
        boolean rootless,
        boolean userNamespaces,
        boolean seccomp,
        boolean liveRestore,
        Set<String> sessions) {

    /// Empty when no engine on this machine answers soon.
    public static Optional<EngineReport> of(URI address, Installation installation) {
        if (!"unix".equals(address.getScheme())) {
            return Optional.empty();
        }
        try {
            DockerEngine engine = DockerEngine.impatientAt(address);
            Info info = engine.ask("answer", docker -> docker.infoCmd().exec());
            Set<String> sessions =
                    engine.containers(new ContainerShape(installation).labelsOfAll()).stream()
                            .map(container -> ContainerShape.sessionOf(container.getLabels()))
                            .collect(Collectors.toSet());
            return Optional.of(of(info, sessions));
        } catch (SandboxException e) {
            return Optional.empty();
        }
    }

    private static EngineReport of(Info info, Set<String> sessions) {
        List<String> options = Objects.requireNonNullElse(info.getSecurityOptions(), List.of());
        return new EngineReport(
                String.valueOf(info.getServerVersion()),
                has(options, "name=rootless"),
                has(options, "name=userns"),
                has(options, "name=seccomp"),
                Boolean.TRUE.equals(info.getRawValues().get("LiveRestoreEnabled")),
                sessions);
    }

    private static boolean has(List<String> options, String option) {
        return options.stream().anyMatch(text -> text.contains(option));
    }
}
