package dev.sallyport.mirror;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Which files a copy has. Whatever else is there was left by a process that was killed, or put
/// there by somebody, and goes.
final class CopyLayout {
    static final String OBJECTS = "objects";
    static final String PACK = "pack";

    /// Its modification time says when the copy was last lent.
    static final String USED = "used";

    private static final String HEAD = "HEAD";
    private static final String CONFIG = "config";
    private static final String REFS = "refs";
    private static final String HEAD_TEXT = "ref: refs/heads/none\n";
    private static final String CONFIG_TEXT =
            "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";
    private static final Set<String> TOP = Set.of(HEAD, CONFIG, REFS, OBJECTS, USED, Manifest.FILE);

    private CopyLayout() {}

    static void make(Path directory) throws IOException {
        Files.createDirectories(directory.resolve(OBJECTS).resolve(PACK));
        Files.createDirectory(directory.resolve(REFS));
        Files.writeString(directory.resolve(HEAD), HEAD_TEXT);
        Files.writeString(directory.resolve(CONFIG), CONFIG_TEXT);
        Files.createFile(directory.resolve(USED));
    }

    /// Removes what does not belong to the copy and requires that what configures it is ours.
    static void tidy(Path directory, Set<String> packs) throws IOException {
        Set<String> files = new HashSet<>();
        packs.forEach(
                name -> {
                    files.add(name + ".pack");
                    files.add(name + ".idx");
                });
        Path objects = directory.resolve(OBJECTS);
        keepOnly(directory, TOP);
        keepOnly(objects, Set.of(PACK));
        keepOnly(objects.resolve(PACK), files);
        keepOnly(directory.resolve(REFS), Set.of());
        requireText(directory.resolve(HEAD), HEAD_TEXT);
        requireText(directory.resolve(CONFIG), CONFIG_TEXT);
    }

    private static void keepOnly(Path directory, Set<String> names) throws IOException {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            throw new CorruptCopyException(directory.getFileName() + " is not a directory");
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                if (!names.contains(String.valueOf(entry.getFileName()))) {
                    remove(entry);
                }
            }
        }
    }

    private static void requireText(Path file, String text) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                || Files.size(file) != text.length()
                || !Files.readString(file).equals(text)) {
            throw new CorruptCopyException(file.getFileName() + " was changed");
        }
    }

    /// A name that no reader takes for a pack.
    static Path incoming(Path packs, String ending) {
        return packs.resolve("incoming-" + UUID.randomUUID() + ending);
    }

    /// An index names the pack that it is for, right before its own digest.
    static void requirePair(Path pack, Path index) throws IOException {
        byte[] ofPack = end(pack, PackSeal.TRAILER_BYTES);
        byte[] ofIndex = end(index, 2 * PackSeal.TRAILER_BYTES);
        if (!Arrays.equals(ofPack, Arrays.copyOf(ofIndex, PackSeal.TRAILER_BYTES))) {
            throw new CorruptCopyException("the index belongs to another pack");
        }
    }

    private static byte[] end(Path file, int bytes) throws IOException {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            byte[] end = new byte[bytes];
            in.seek(Math.max(0, in.length() - bytes));
            in.readFully(end);
            return end;
        }
    }

    /// What its packs take on the disk; cheap, because only names and sizes are read.
    static long bytes(Path directory) throws IOException {
        long bytes = 0;
        Path packs = directory.resolve(OBJECTS).resolve(PACK);
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(packs)) {
            for (Path entry : entries) {
                bytes += Files.size(entry);
            }
        }
        return bytes;
    }

    /// A file or a directory with all that is in it; a symlink is removed, not followed.
    static void remove(Path path) throws IOException {
        try {
            Files.walkFileTree(path, new Removal());
        } catch (NoSuchFileException _) {
            // Gone already, which is what was wanted.
        }
    }

    private static final class Removal extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException problem)
                throws IOException {
            if (problem != null) {
                throw problem;
            }
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
        }
    }
}
