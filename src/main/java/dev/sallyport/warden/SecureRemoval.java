package dev.sallyport.warden;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;

/// Removes a directory that a less privileged process could write to. Every step is relative to an
/// open directory, so that a symlink put in the way leads nowhere.
final class SecureRemoval {
    /// Succeeds when nothing is left, even if nothing was there.
    static void remove(Path directory) throws IOException {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            empty(secure(stream));
        } catch (NoSuchFileException e) {
            return;
        }
        Files.deleteIfExists(directory);
    }

    private static SecureDirectoryStream<Path> secure(DirectoryStream<Path> stream)
            throws IOException {
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return secure;
        }
        throw new IOException("this file system has no openat");
    }

    private static void empty(SecureDirectoryStream<Path> directory) throws IOException {
        for (Path entry : directory) {
            try {
                remove(directory, entry.getFileName());
            } catch (NoSuchFileException _) {
                // Whoever made it has just removed it; what is beside it still has to go.
            }
        }
    }

    private static void remove(SecureDirectoryStream<Path> directory, Path name)
            throws IOException {
        boolean isDirectory =
                directory
                        .getFileAttributeView(
                                name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                        .readAttributes()
                        .isDirectory();
        if (isDirectory) {
            try (SecureDirectoryStream<Path> inner =
                    directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                empty(inner);
            }
            directory.deleteDirectory(name);
        } else {
            directory.deleteFile(name);
        }
    }
}
