package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/// A file in a workspace that a sandbox is not to read. An empty file of ours is mounted on it,
/// read-only; a mount cannot be removed, renamed or looked under from inside.
final class HiddenFile {
    private HiddenFile() {}

    /// Returns the absolute path of a regular file in the workspace that is named without any
    /// symbolic link: a link could be turned elsewhere, and the file stays where it is.
    static Path check(Path workspace, Path named) throws SandboxException {
        Path path = workspace.resolve(named).normalize();
        try {
            if (!path.startsWith(workspace) || path.equals(workspace)) {
                throw refusal(path, "it is not in the workspace");
            }
            if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                throw refusal(path, "it is not a file");
            }
            if (!path.toRealPath().equals(path)) {
                throw refusal(path, "there is a symbolic link in its path");
            }
            return path;
        } catch (IOException e) {
            throw new SandboxException("the file " + path + " cannot be hidden.", e);
        }
    }

    private static SandboxException refusal(Path path, String reason) {
        return new SandboxException(
                "the path "
                        + path
                        + " cannot be hidden: "
                        + reason
                        + ". Give the real path of an existing file. If the sandbox hid it before, create an empty file there.");
    }
}
