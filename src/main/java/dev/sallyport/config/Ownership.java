package dev.sallyport.config;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;

/// Checks that a path is ours alone before we trust what is in it: our own, no symlink, closed to
/// everybody else. Whoever can write to a path on the way to our state can replace it.
public final class Ownership {
    private static final int OTHERS = 0077;
    private static final int OTHERS_WRITE = 0022;
    private static final int STICKY = 01000;
    private static final int PERMISSIONS = 07777;
    private static final int LINKS_MAX = 40;

    private Ownership() {}

    /// Makes a directory with mode 0700 where there is none, and verifies it.
    public static void createPrivateDirectory(Path directory) throws IOException {
        try {
            Set<PosixFilePermission> mode = PosixFilePermissions.fromString("rwx------");
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(mode));
        } catch (FileAlreadyExistsException e) {
            // It was there, or another process was faster; the check below is for both.
        }
        requirePrivateDirectory(directory);
    }

    /// Makes an empty file with mode 0600 where there is none, and verifies it.
    public static void createPrivateFile(Path file) throws IOException {
        try {
            Set<PosixFilePermission> mode = PosixFilePermissions.fromString("rw-------");
            Files.createFile(file, PosixFilePermissions.asFileAttribute(mode));
        } catch (FileAlreadyExistsException e) {
            // It was there, or another process was faster; the check below is for both.
        }
        requirePrivateFile(file);
    }

    public static void requirePrivateDirectory(Path directory) throws IOException {
        Attributes found = attributes(directory);
        if (!found.directory()) {
            throw new ConfigException(
                    directory + " is not a directory" + (found.symlink() ? " but a symlink." : "."),
                    "Move it away. Sallyport creates the directory.");
        }
        requireOwner(directory, found);
        requireClosed(directory, found, "700");
    }

    /// For a directory of root's that others pass through: what is in it was put there by root.
    public static void requireRootsDirectory(Path directory) throws IOException {
        Attributes found = attributes(directory);
        if (!found.directory() || found.uid() != 0 || (found.mode() & OTHERS_WRITE) != 0) {
            throw new ConfigException(
                    directory + " is not a directory that only root can write to.",
                    "Ask the administrator, or unset SALLYPORT_SERVICE.");
        }
    }

    public static void requirePrivateFile(Path file) throws IOException {
        Attributes found = requireRegularFile(file);
        requireOwner(file, found);
        requireClosed(file, found, "600");
    }

    /// For files that hold no secret: others may read, but not write.
    public static void requireUnforgeableFile(Path file) throws IOException {
        Attributes found = requireRegularFile(file);
        requireOwnerOrRoot(file, found);
        if ((found.mode() & OTHERS_WRITE) != 0) {
            throw new ConfigException(
                    file + " can be written by others (mode " + found.octal() + ").",
                    "Run: chmod go-w " + file);
        }
    }

    /// Every directory above `path` belongs to us or to root, and nobody else can rename what is in
    /// it. That holds for the path as it is written, with its symbolic links, because it is walked
    /// again after this check (I4).
    public static void requireSafeAncestors(Path path) throws IOException {
        Path parent = path.toAbsolutePath().normalize().getParent();
        if (parent == null) {
            return;
        }
        requireSafeWay(parent, LINKS_MAX);
    }

    private static void requireSafeWay(Path directory, int linksMax) throws IOException {
        for (Path level = directory; level != null; level = level.getParent()) {
            Attributes found = attributes(level);
            requireOwnerOrRoot(level, found);
            if (found.symlink()) {
                requireSafeWay(target(level, linksMax), linksMax - 1);
            } else if ((found.mode() & OTHERS_WRITE) != 0 && (found.mode() & STICKY) == 0) {
                throw new ConfigException(
                        level + " can be written by others (mode " + found.octal() + ").",
                        "Run: chmod go-w " + level + ", or set SALLYPORT_HOME to another place.");
            }
        }
    }

    private static Path target(Path link, int linksMax) throws IOException {
        Path parent = link.getParent();
        if (linksMax == 0 || parent == null) {
            throw new ConfigException(
                    link + " goes through too many symbolic links.",
                    "Set SALLYPORT_HOME to the directory itself.");
        }
        return parent.toRealPath().resolve(Files.readSymbolicLink(link)).normalize();
    }

    private static Attributes requireRegularFile(Path file) throws IOException {
        Attributes found = attributes(file);
        if (!found.regular()) {
            throw new ConfigException(
                    file + " is not a regular file" + (found.symlink() ? " but a symlink." : "."),
                    "Replace it with the file itself.");
        }
        return found;
    }

    private static void requireOwner(Path path, Attributes found) throws IOException {
        if (found.uid() != ownUid()) {
            throw new ConfigException(
                    path + " belongs to user " + found.uid() + ", not to you.",
                    "Run: chown " + ownUid() + " " + path + " (as root), or use another path.");
        }
    }

    private static void requireOwnerOrRoot(Path path, Attributes found) throws IOException {
        if (found.uid() != 0) {
            requireOwner(path, found);
        }
    }

    private static void requireClosed(Path path, Attributes found, String wanted)
            throws ConfigException {
        if ((found.mode() & OTHERS) != 0) {
            throw new ConfigException(
                    path + " is open to others (mode " + found.octal() + ").",
                    "Run: chmod " + wanted + " " + path);
        }
    }

    private static Attributes attributes(Path path) throws IOException {
        try {
            Map<String, Object> map =
                    Files.readAttributes(
                            path,
                            "unix:uid,mode,isDirectory,isRegularFile,isSymbolicLink",
                            LinkOption.NOFOLLOW_LINKS);
            return new Attributes(map);
        } catch (NoSuchFileException e) {
            throw new ConfigException(path + " does not exist.", "Run: sallyport up");
        }
    }

    /// The effective user id of this process, as the kernel says.
    public static int ownUid() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("Uid:")) {
                return Integer.parseInt(line.split("\\s+", -1)[2]);
            }
        }
        throw new IOException("/proc/self/status names no user id");
    }

    private record Attributes(Map<String, Object> map) {
        int uid() {
            return number("uid");
        }

        int mode() {
            return number("mode") & PERMISSIONS;
        }

        String octal() {
            return String.format("%04o", mode());
        }

        boolean directory() {
            return Boolean.TRUE.equals(map.get("isDirectory"));
        }

        boolean regular() {
            return Boolean.TRUE.equals(map.get("isRegularFile"));
        }

        boolean symlink() {
            return Boolean.TRUE.equals(map.get("isSymbolicLink"));
        }

        private int number(String key) {
            return map.get(key) instanceof Integer value ? value : -1;
        }
    }
}
