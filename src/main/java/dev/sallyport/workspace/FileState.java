package dev.sallyport.workspace;

import dev.sallyport.confine.HeldFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/// What files are, in words that change when the files do. A link counts with what it leads to. One
/// search has one budget: who fills a workspace does not keep the person waiting.
final class FileState {
    private static final long DIGESTED_BYTES_MAX = 1L << 20;
    private static final long ORIGINAL_BYTES_MAX = 1L << 20;
    private static final long ALL_BYTES_MAX = 256L << 20;

    /// Kept in memory, and written down for a sandbox that stays.
    private static final long ORIGINALS_BYTES_MAX = 8L << 20;

    private long budgetBytes = ALL_BYTES_MAX;
    private long originalsBytes = ORIGINALS_BYTES_MAX;

    String of(Path file) {
        try {
            String link =
                    Files.isSymbolicLink(file) ? "link " + Files.readSymbolicLink(file) + " " : "";
            if (!Files.isRegularFile(file)) {
                return link + (Files.isDirectory(file) ? "directory" : "other");
            }
            long size = Files.size(file);
            String content =
                    size > DIGESTED_BYTES_MAX || !spend(size)
                            ? size + " " + Files.getAttribute(file, "unix:ctime")
                            : digest(file);
            return link + (Files.isExecutable(file) ? "program " : "file ") + content;
        } catch (IOException e) {
            return "unreadable";
        }
    }

    /// Whether a file may still be read.
    boolean spend(Path file) {
        try {
            return spend(Files.size(file));
        } catch (IOException e) {
            return false;
        }
    }

    private boolean spend(long bytes) {
        budgetBytes -= bytes;
        return budgetBytes >= 0;
    }

    private static String digest(Path file) throws IOException {
        try (InputStream in = HeldFile.open(file);
                DigestInputStream digest =
                        new DigestInputStream(in, MessageDigest.getInstance("SHA-256"))) {
            digest.readNBytes((int) DIGESTED_BYTES_MAX);
            return HexFormat.of().formatHex(digest.getMessageDigest().digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Empty when there is too much of it to be kept, or a link on the way to it: this is put back
    /// where a sandbox can read it, so it must not come from elsewhere.
    ///
    /// @param file below the root
    Optional<Trigger.Original> original(Path root, Path file) {
        Path name = file.getFileName();
        try (SecureDirectoryStream<Path> directory = Aside.open(root, root.relativize(file))) {
            PosixFileAttributes is =
                    directory
                            .getFileAttributeView(
                                    name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                            .readAttributes();
            if (!is.isRegularFile() || is.size() > Math.min(ORIGINAL_BYTES_MAX, originalsBytes)) {
                return Optional.empty();
            }
            originalsBytes -= is.size();
            try (InputStream in = HeldFile.open(file, is.fileKey())) {
                byte[] bytes = in.readNBytes((int) ORIGINAL_BYTES_MAX);
                return Optional.of(
                        new Trigger.Original(
                                new String(bytes, StandardCharsets.ISO_8859_1),
                                is.permissions().contains(PosixFilePermission.OWNER_EXECUTE),
                                Optional.of(PosixFilePermissions.toString(is.permissions()))));
            }
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    static boolean isThere(Path file) {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    }
}
