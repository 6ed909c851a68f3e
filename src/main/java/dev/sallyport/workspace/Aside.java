package dev.sallyport.workspace;

import dev.sallyport.config.Ownership;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;

/// Takes files out of a workspace, into a directory that no sandbox can write to. Another sandbox
/// may be changing the workspace at that time, so no symbolic link is followed on the way, and
/// directories are held open while something in them is moved.
///
/// @param store a directory of ours alone
public record Aside(Path store) {
    /// Part of the name of a file that stayed in the workspace, because the store is on another
    /// file system. Git acts on no file of such a name.
    static final String BESIDE = ".sallyport-aside-";

    private static final long COPIED_BYTES_MAX = 64L << 20;

    /// Returns where the file is now.
    public Path take(TriggerFiles from, Path file) throws IOException {
        Path target = prepared(file);
        Path name = file.getFileName();
        try (SecureDirectoryStream<Path> source = open(from, file);
                SecureDirectoryStream<Path> into = secure(target)) {
            try {
                source.move(name, into, name);
            } catch (AtomicMoveNotSupportedException e) {
                Path beside = Path.of(name + BESIDE + store.getFileName());
                source.move(name, source, beside);
                return from.root().resolve(file).resolveSibling(beside);
            }
        }
        Path moved = target.resolve(name);
        ownCopy(moved);
        return moved;
    }

    private Path prepared(Path file) throws IOException {
        Path target = store;
        Ownership.createPrivateDirectory(store);
        Path parent = file.getParent();
        if (parent != null) {
            for (Path part : parent) {
                target = target.resolve(part);
                Ownership.createPrivateDirectory(target);
            }
        }
        return target;
    }

    /// Another name of the same file, or one that is still open, would let a sandbox change it
    /// where it is now. Nobody reads a file that is larger before they use it.
    private static void ownCopy(Path file) throws IOException {
        boolean regular = Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
        if (regular && Files.size(file) <= COPIED_BYTES_MAX) {
            Path copy = file.resolveSibling(UUID.randomUUID().toString());
            Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
            Files.move(copy, file, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /// Where the file was there is nothing now.
    public void putBack(TriggerFiles to, Path file, Trigger.Original original) throws IOException {
        var mode =
                PosixFilePermissions.asFileAttribute(
                        PosixFilePermissions.fromString(
                                original.program() ? "rwxr-xr-x" : "rw-r--r--"));
        ByteBuffer bytes = StandardCharsets.ISO_8859_1.encode(original.content());
        try (SecureDirectoryStream<Path> directory = open(to, file);
                SeekableByteChannel channel =
                        directory.newByteChannel(
                                file.getFileName(),
                                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                                mode)) {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    /// The directory of a file, if it is still that of the root that was looked at.
    private static SecureDirectoryStream<Path> open(TriggerFiles files, Path file)
            throws IOException {
        SecureDirectoryStream<Path> root = secure(files.root());
        try {
            Object key =
                    root.getFileAttributeView(BasicFileAttributeView.class)
                            .readAttributes()
                            .fileKey();
            if (!String.valueOf(key).equals(files.key())) {
                throw new IOException("the directory was replaced");
            }
            return below(root, file);
        } catch (IOException e) {
            root.close();
            throw e;
        }
    }

    /// The directory of a file, without a link on the way.
    ///
    /// @param file relative to the root
    static SecureDirectoryStream<Path> open(Path root, Path file) throws IOException {
        return below(secure(root), file);
    }

    private static SecureDirectoryStream<Path> below(SecureDirectoryStream<Path> root, Path file)
            throws IOException {
        SecureDirectoryStream<Path> directory = root;
        Path parent = file.getParent();
        if (parent != null) {
            for (Path part : parent) {
                directory = enter(directory, part);
            }
        }
        return directory;
    }

    private static SecureDirectoryStream<Path> enter(
            SecureDirectoryStream<Path> directory, Path name) throws IOException {
        try (directory) {
            if (name.toString().equals("..")) {
                throw new IOException("the path leads out of the directory");
            }
            PosixFileAttributeView view =
                    directory.getFileAttributeView(
                            name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
            if (!view.readAttributes().isDirectory()) {
                throw new IOException("a directory on the way was replaced");
            }
            return directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /// Whoever calls closes it.
    @SuppressWarnings("StreamResourceLeak")
    private static SecureDirectoryStream<Path> secure(Path directory) throws IOException {
        DirectoryStream<Path> stream = Files.newDirectoryStream(directory);
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return secure;
        }
        stream.close();
        throw new IOException("this file system has no way to move files safely");
    }
}
