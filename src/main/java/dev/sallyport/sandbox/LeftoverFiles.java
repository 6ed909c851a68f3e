package dev.sallyport.sandbox;

import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Configuration directories whose sandbox is gone, because a process was killed between removing
/// the one and the other.
public final class LeftoverFiles {
    private LeftoverFiles() {}

    /// Removes those of one runtime; another runtime's, and what is not ours, stay.
    public static void remove(Installation installation, RuntimeKind kind, Set<SessionId> known)
            throws SandboxException {
        Set<String> keep = known.stream().map(SessionId::value).collect(Collectors.toSet());
        for (Path files : directories(installation.sandboxes())) {
            boolean leftover = !keep.contains(files.getFileName().toString());
            if (leftover && SandboxFiles.belongTo(kind, files)) {
                Optional<ControlGroup> group = ControlGroup.of(files);
                if (group.isPresent()) {
                    group.get().remove();
                }
                SandboxFiles.remove(files);
            }
        }
    }

    private static List<Path> directories(Path sandboxes) throws SandboxException {
        if (!Files.isDirectory(sandboxes)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(sandboxes)) {
            return entries.toList();
        } catch (IOException e) {
            throw new SandboxException("cannot list " + sandboxes + ": " + e.getMessage(), e);
        }
    }
}
