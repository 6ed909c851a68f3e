package dev.sallyport.warden;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import dev.sallyport.config.Ownership;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;

/// Where gateways keep copies of repositories, from one process to the next. It is the gateway's
/// alone; the warden makes it and never looks into it.
///
/// As root it lies beside other installations' in a directory of the system. A file of root's says
/// whose it is, so that it goes when its installation has gone, and with it what else gateways of
/// that installation left there.
final class MirrorDirectory {
    static final String PREFIX = "mirrors-";
    private static final System.Logger LOG = System.getLogger(MirrorDirectory.class.getName());
    private static final String OWNER = ".home";
    private static final int PATH_BYTES_MAX = 4_096;

    static void prepare(GatewayAccount account, Home home) throws IOException {
        if (account.separateUid().isEmpty()) {
            Ownership.createPrivateDirectory(account.mirrors());
            LentObjects.prepareBase(account);
            return;
        }
        sweep(account.parent());
        Path mirrors = account.mirrors();
        Ownership.createPrivateFile(owner(mirrors));
        Files.writeString(owner(mirrors), home.root().toString());
        if (Files.notExists(mirrors, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(mirrors, GatewayAccount.mode("rwx------"));
            Files.setAttribute(mirrors, "unix:gid", account.uid(), LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(mirrors, "unix:uid", account.uid(), LinkOption.NOFOLLOW_LINKS);
        }
        requireGateways(mirrors, account.uid());
        LentObjects.prepareBase(account);
    }

    /// Only root writes to the directory above, so what is found here is what will be used.
    private static void requireGateways(Path mirrors, int uid) throws IOException {
        Map<String, Object> found =
                Files.readAttributes(
                        mirrors, "unix:uid,mode,isDirectory", LinkOption.NOFOLLOW_LINKS);
        boolean closed = found.get("mode") instanceof Integer mode && (mode & 0077) == 0;
        if (!Boolean.TRUE.equals(found.get("isDirectory"))
                || !Integer.valueOf(uid).equals(found.get("uid"))
                || !closed) {
            throw new ConfigException(
                    mirrors + " is not a directory that only the gateway can use.",
                    "Remove it. Sallyport creates it again.");
        }
    }

    private static Path owner(Path mirrors) {
        return mirrors.resolveSibling(mirrors.getFileName() + OWNER);
    }

    /// Removes what gateways of installations that are no more have left: the copies, and the
    /// directories that they worked in. Wardens start together, so that what is found here may have
    /// been swept by another a moment later.
    static void sweep(Path parent) throws IOException {
        try (DirectoryStream<Path> owners =
                Files.newDirectoryStream(parent, PREFIX + "*" + OWNER)) {
            for (Path owner : owners) {
                try {
                    sweepIfGone(parent, owner);
                } catch (NoSuchFileException e) {
                    LOG.log(System.Logger.Level.DEBUG, "swept already: " + owner, e);
                }
            }
        }
    }

    private static void sweepIfGone(Path parent, Path owner) throws IOException {
        String file = String.valueOf(owner.getFileName());
        String mirrors = file.substring(0, file.length() - OWNER.length());
        if (isGone(owner)
                && GatewayDirectories.remove(parent, mirrors.substring(PREFIX.length()))) {
            SecureRemoval.remove(parent.resolve(mirrors));
            SecureRemoval.remove(parent.resolve("lent-" + mirrors.substring(PREFIX.length())));
            Files.deleteIfExists(owner);
        }
    }

    private static boolean isGone(Path owner) throws IOException {
        return Files.isRegularFile(owner, LinkOption.NOFOLLOW_LINKS)
                && Files.size(owner) <= PATH_BYTES_MAX
                && namesNothing(owner);
    }

    /// What cannot be a path here may be one for the installation that wrote it, whose locale may
    /// be another. It stays, and hinders nobody else's start.
    private static boolean namesNothing(Path owner) throws IOException {
        try {
            return Files.notExists(Path.of(Files.readString(owner)));
        } catch (InvalidPathException | CharacterCodingException _) {
            LOG.log(System.Logger.Level.WARNING, "names no home, and is left alone: " + owner);
            return false;
        }
    }
}
