package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/// The sessions whose files are mounted in the namespaces of some process. One that outlived its
/// sandbox keeps its mounts and its network, however its command line looks.
public final class MountedSessions {
    private MountedSessions() {}

    /// Ids of the sessions; what may not be looked at is left out.
    public static Set<String> of(Installation installation) {
        Set<String> found = new TreeSet<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
            for (Path process : all) {
                note(found, process.getFileName().toString(), installation.sandboxes());
            }
        } catch (IOException e) {
            return Set.of();
        }
        return found;
    }

    private static void note(Set<String> found, String process, Path sandboxes) {
        String prefix = sandboxes + "/";
        try {
            for (MountTable.Entry entry : MountTable.of(process).entries()) {
                int at = entry.root().indexOf(prefix);
                if (at >= 0) {
                    String rest = entry.root().substring(at + prefix.length());
                    found.add(rest.contains("/") ? rest.substring(0, rest.indexOf('/')) : rest);
                }
            }
        } catch (IOException | IndexOutOfBoundsException e) {
            // It has ended, or is not ours to look at.
        }
    }
}
