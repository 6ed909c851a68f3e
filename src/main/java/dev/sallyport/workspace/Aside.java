package dev.sallyport.workspace;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sallyport.config.Ownership;
import dev.sallyport.confine.HeldFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
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

    private static final int NAME_BYTES_MAX = 255;
    private static final long COPIED_BYTES_MAX = 64L << 20;

    /// Where a file is now.
    ///
    /// @param ours whether nobody else can change it there
    public record Place(Path path, boolean ours) {}

    public Place take(TriggerFiles from, Path file) throws IOException {
        Path name = file.getFileName();
        Path target = target(file);
        try (SecureDirectoryStream<Path> source = open(from, file)) {
            try (SecureDirectoryStream<Path> into = prepared(target)) {
                source.move(name, into, target.getFileName());
            } catch (IOException e) {
                // The store is on another file system, or takes nothing.
                Path beside = Path.of(name + BESIDE + store.getFileName());
                if (beside.toString().getBytes(UTF_8).length > NAME_BYTES_MAX) {
                    beside = Path.of(BESIDE + UUID.randomUUID());
                }
                source.move(name, source, beside);
                return new Place(from.root().resolve(file).resolveSibling(beside), false);
            }
        }
        return new Place(target, makeOurs(target));
    }

    /// Nothing with a longer path can be opened, nor the copy beside it while it is made.
    private Path target(Path file) {
        Path target = store.resolve(file);
        String copy = target.resolveSibling(UUID.randomUUID().toString()).toString();
        int bytes = Math.max(copy.getBytes(UTF_8).length, target.toString().getBytes(UTF_8).length);
        return bytes < GitFiles.PATH_MAX ? target : store.resolve(UUID.randomUUID().toString());
    }

    private SecureDirectoryStream<Path> prepared(Path target) throws IOException {
        Path directory = store;
        Ownership.createPrivateDirectory(store);
        for (Path part : store.relativize(target.resolveSibling(""))) {
            directory = directory.resolve(part);
            Ownership.createPrivateDirectory(directory);
        }
        return secure(directory);
    }

    /// Another name of the same file, or one that is still open, would let a sandbox change it
    /// where it is now, so it becomes a copy. Nobody reads a file that is larger before they use
    /// it. Returns whether only we can change it now.
    private static boolean makeOurs(Path file) {
        Path copy = file.resolveSibling(UUID.randomUUID().toString());
        try {
            boolean regular = Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
            if (!regular || Files.size(file) > COPIED_BYTES_MAX) {
                return Files.isSymbolicLink(file);
            }
            try (InputStream _ = HeldFile.open(file)) {
                Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
            }
            Files.move(copy, file, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (IOException e) {
            copy.toFile().delete();
            return false;
        }
    }

    /// Where the file was there is nothing now. Nobody may do more with it than before.
    public void putBack(TriggerFiles to, Path file, Trigger.Original original) throws IOException {
        try (SecureDirectoryStream<Path> directory = open(to, file)) {
            write(directory, file.getFileName(), original);
        }
    }

    /// For an earlier file that cannot be put back. Returns where it is.
    public Path keep(Trigger.Original original) throws IOException {
        Path target = store.resolve(UUID.randomUUID().toString());
        try (SecureDirectoryStream<Path> directory = prepared(target)) {
            write(directory, target.getFileName(), original);
        }
        return target;
    }

    private static void write(
            SecureDirectoryStream<Path> directory, Path name, Trigger.Original original)
            throws IOException {
        String mode = original.mode().orElse(original.program() ? "rwx------" : "rw-------");
        ByteBuffer bytes = ISO_8859_1.encode(original.content());
        try (SeekableByteChannel channel =
                directory.newByteChannel(
                        name,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString(mode)))) {
            try {
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            } catch (IOException e) {
                // A part of it can mean something else.
                directory.deleteFile(name);
                throw e;
            }
        }
    }

    /// The directory of a file, if it is still that of the root that was looked at.
    private static SecureDirectoryStream<Path> open(TriggerFiles files, Path file)
            throws IOException {
        SecureDirectoryStream<Path> root = secure(files.root());
        try {
            if (!key(root).equals(files.key())) {
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

    /// A name with `/.` behind it opens nothing but a directory, and waits for no pipe; that it led
    /// through no link is seen afterwards.
    private static SecureDirectoryStream<Path> enter(
            SecureDirectoryStream<Path> directory, Path name) throws IOException {
        try (directory) {
            if (name.toString().equals("..")) {
                throw new IOException("the path leads out of the directory");
            }
            BasicFileAttributes there =
                    directory
                            .getFileAttributeView(
                                    name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                            .readAttributes();
            SecureDirectoryStream<Path> below = directory.newDirectoryStream(name.resolve("."));
            if (!there.isDirectory() || !key(below).equals(String.valueOf(there.fileKey()))) {
                below.close();
                throw new IOException("a directory on the way was replaced");
            }
            return below;
        }
    }

    private static String key(SecureDirectoryStream<Path> directory) throws IOException {
        return String.valueOf(
                directory
                        .getFileAttributeView(BasicFileAttributeView.class)
                        .readAttributes()
                        .fileKey());
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
