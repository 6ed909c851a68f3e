package dev.sallyport.cli;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/// Follows a path as the kernel does, name by name, and refuses a symbolic link that lies where a
/// sandbox can write, or could: it would choose what the next sandbox gets (I15).
///
/// @param written the directories that sandboxes have or had
record LinkWalk(Set<Path> written) {
    private static final int LINKS_MAX = 40;
    private static final Path ROOT = Path.of("/");

    /// Returns the path without links.
    ///
    /// @param path absolute
    Path resolve(Path path) throws IOException, CliException {
        Deque<Path> ahead = new ArrayDeque<>();
        path.forEach(ahead::addLast);
        Path here = ROOT;
        int links = 0;
        while (!ahead.isEmpty()) {
            Path name = ahead.removeFirst();
            Path next = here.resolve(name).normalize();
            if (Files.isSymbolicLink(next)) {
                if (++links > LINKS_MAX) {
                    throw new FileSystemLoopException(path.toString());
                }
                requireOurs(path, next, here);
                Path target = Files.readSymbolicLink(next);
                here = target.isAbsolute() ? ROOT : here;
                List<Path> names = new ArrayList<>();
                target.forEach(names::add);
                names.reversed().forEach(ahead::addFirst);
            } else {
                here = next;
            }
        }
        return here;
    }

    /// Whether a sandbox can write there, or could.
    boolean isWritten(Path real) {
        return written.stream().anyMatch(real::startsWith);
    }

    private void requireOurs(Path path, Path link, Path directory)
            throws IOException, CliException {
        for (Path workspace : written) {
            if (directory.startsWith(workspace)) {
                throw ExitCode.REFUSED.because(
                        "planted-link",
                        "%s goes through the symbolic link %s in %s, where a sandbox could have created it."
                                .formatted(path, link, workspace),
                        "If you mean its target, use: " + path.toRealPath());
            }
        }
    }
}
