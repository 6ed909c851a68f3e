package dev.sallyport.sandbox.docker;

import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.SandboxException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Finds out whether an engine is there whose containers we could enter, and if not, what a person
/// can do about it.
record DockerObstacle(URI address, Person person) {
    Optional<String> find() {
        if (!"unix".equals(address.getScheme())) {
            return Optional.of(
                    "the Docker engine at "
                            + address
                            + " is not on this machine, so its namespaces are out of reach. Unset DOCKER_HOST, or point it to a unix:// socket.");
        }
        if (HostProgram.find("docker").isEmpty()) {
            return Optional.of(
                    "`docker` is not installed. On Debian or Ubuntu run: sudo apt-get install docker.io");
        }
        if (Files.notExists(Path.of(address.getPath()))) {
            return Optional.of(silent("there is no such socket"));
        }
        try (DockerEngine engine = DockerEngine.impatientAt(address)) {
            List<String> options =
                    engine.ask("answer", docker -> docker.infoCmd().exec().getSecurityOptions());
            return judge(Objects.requireNonNullElse(options, List.of()));
        } catch (SandboxException e) {
            return Optional.of(silent(Objects.requireNonNullElse(e.getMessage(), "")));
        }
    }

    private String silent(String reason) {
        return "no Docker engine answers at %s. Start Docker, and check that you may use it; %s"
                .formatted(address, reason);
    }

    /// A rootful engine's namespaces belong to root; an ordinary user's warden cannot enter them,
    /// even if it may talk to the engine. One without seccomp could not filter system calls.
    Optional<String> judge(List<String> securityOptions) {
        if (securityOptions.stream().noneMatch(option -> option.contains("name=seccomp"))) {
            return Optional.of(
                    "the Docker engine has no seccomp, so its containers could use every system call. Use an engine and kernel with seccomp (see: docker info), or choose --runtime bubblewrap.");
        }
        boolean rootless =
                securityOptions.stream().anyMatch(option -> option.contains("name=rootless"));
        if (person.isRoot() || rootless) {
            return Optional.empty();
        }
        return Optional.of(
                "the Docker engine runs as root, and only root can open sockets in its containers. Run Sallyport as root, use rootless Docker, or choose --runtime bubblewrap.");
    }
}
