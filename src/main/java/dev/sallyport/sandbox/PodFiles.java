package dev.sallyport.sandbox;

import dev.sallyport.config.GitSettings;
import dev.sallyport.policy.HostName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/// What the sidecar of a pod writes for its neighbour, the container of the agent, which sees the
/// directory read-only (ADR 40): what [SandboxFiles] and [SandboxTrust] are to a sandbox. Nothing
/// of it is secret. The certificates are always there, whether a host is inspected or not, because
/// the variables of a container are fixed before anybody knows.
public final class PodFiles {
    /// As the container of the agent has it.
    public static final Path DIRECTORY = Path.of("/run/sallyport/inside");

    /// There as long as the sidecar is ready; the container of the agent starts after that.
    public static final String READY = "ready";

    /// The variables once more, for a shell.
    private static final String ENVIRONMENT = "environment";

    private final Path directory;

    public PodFiles(Path directory) {
        this.directory = directory;
    }

    /// The variables that the container of the agent starts with.
    ///
    /// @param directory where it has the files
    /// @param gitHosts hosts that it has repositories of
    public static SortedMap<String, String> variables(
            Path directory, Collection<HostName> gitHosts, GitSettings git) {
        SortedMap<String, String> variables =
                SandboxEnvironment.common(
                        gitHosts, git, directory.resolve(SandboxFiles.GITCONFIG).toString());
        variables.putAll(SandboxTrust.variables(directory));
        return variables;
    }

    /// All of them, in place of those that were there.
    ///
    /// @param caPem certificate (PEM) of the session's own authority, if it has one
    public void write(Collection<HostName> gitHosts, GitSettings git, Optional<String> caPem)
            throws IOException {
        Map<String, byte[]> all = new LinkedHashMap<>(SandboxTrust.contents(caPem.orElse("")));
        all.put(SandboxFiles.GITCONFIG, bytes(GitConfig.of(gitHosts, git)));
        StringBuilder exports = new StringBuilder();
        variables(directory, gitHosts, git)
                .forEach(
                        (name, value) ->
                                exports.append("export ")
                                        .append(name)
                                        .append('=')
                                        .append(ShellWords.quote(List.of(value)))
                                        .append('\n'));
        all.put(ENVIRONMENT, bytes(exports.toString()));
        for (Map.Entry<String, byte[]> file : all.entrySet()) {
            replace(file.getKey(), file.getValue());
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /// Nobody sees half of one: the agent may run when its sidecar is started again.
    private void replace(String name, byte[] content) throws IOException {
        Path unfinished = directory.resolve("." + name);
        SandboxFiles.write(unfinished, content);
        Files.move(
                unfinished,
                directory.resolve(name),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    /// Says whether the agent's programs find what they need.
    public void ready(boolean ready) throws IOException {
        if (ready) {
            replace(READY, new byte[0]);
        } else {
            Files.deleteIfExists(directory.resolve(READY));
        }
    }
}
