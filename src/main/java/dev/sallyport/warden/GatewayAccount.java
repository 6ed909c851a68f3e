package dev.sallyport.warden;

import dev.sallyport.config.Home;
import dev.sallyport.config.Ownership;
import dev.sallyport.sandbox.Person;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.OptionalInt;
import java.util.Set;

/// Which user gateways run as, and where that user meets the warden. As root it is a user of its
/// own that owns nothing else; otherwise it can only be ours.
///
/// @param separateUid the gateway's own user id, when it has one
/// @param parent where directories for gateways are made; only the warden's user can write there
/// @param prefix how the names of this installation's directories begin
/// @param mirrors where gateways keep copies of repositories, from one process to the next
record GatewayAccount(OptionalInt separateUid, int uid, Path parent, String prefix, Path mirrors) {
    private static final System.Logger LOG = System.getLogger(GatewayAccount.class.getName());
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int ATTEMPTS_MAX = 100;

    /// Below the numbers that systemd gives to services with `DynamicUser=` (61184 to 65519), in a
    /// range that nobody allocates from: whoever has the same number could read the gateway's
    /// memory.
    static final int GATEWAY_UID = 61_183;

    static final Path SYSTEM_STATE = Path.of("/var/lib/sallyport");

    static GatewayAccount choose(Patron patron) throws IOException {
        GatewayAccount account = of(patron);
        if (account.separateUid.isPresent()) {
            openDirectory(SYSTEM_STATE);
        }
        return account;
    }

    /// As [#choose], and nothing is made.
    static GatewayAccount of(Patron patron) {
        Home home = patron.home();
        int own = Person.current().uid();
        if (own != 0) {
            return new GatewayAccount(
                    OptionalInt.empty(), own, home.run(), "g", home.root().resolve("mirrors"));
        }
        String tag = patron.installation().tag();
        return new GatewayAccount(
                OptionalInt.of(patron.number()),
                patron.number(),
                SYSTEM_STATE,
                GatewayDirectories.prefix(tag),
                SYSTEM_STATE.resolve(MirrorDirectory.PREFIX + tag));
    }

    /// Where gateways put what they share with sandboxes, in one directory for each clone.
    Path lent() {
        return mirrors.resolveSibling(
                String.valueOf(mirrors.getFileName()).replaceFirst("^mirrors", "lent"));
    }

    /// Makes the directory of a new gateway process. The gateway may pass through it, but not put
    /// anything in the sockets' place.
    Path makeDirectory() throws IOException {
        Path directory = newDirectory();
        Path work = Files.createDirectory(work(directory), mode("rwx------"));
        if (separateUid.isPresent()) {
            Files.setAttribute(directory, "unix:gid", uid);
            // Not when it is made, where a umask may take the right away again.
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x---"));
            Files.setAttribute(work, "unix:gid", uid);
            Files.setAttribute(work, "unix:uid", uid);
        }
        return directory;
    }

    /// Short, for the sake of the sockets' paths; see `channel`.
    private Path newDirectory() throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            Path directory =
                    parent.resolve(prefix + String.format("%04x", RANDOM.nextInt(1 << 16)));
            try {
                return Files.createDirectory(directory, mode("rwx------"));
            } catch (FileAlreadyExistsException e) {
                LOG.log(System.Logger.Level.DEBUG, "taken: " + directory, e);
            }
        }
        throw new IOException("no name is left for a gateway's directory in " + parent);
    }

    /// Where the gateway may write: unpacked native libraries, spooled bodies.
    static Path work(Path directory) {
        return directory.resolve("work");
    }

    /// Removes what gateways of an earlier warden left.
    void sweep() throws IOException {
        for (Path directory : GatewayDirectories.all(parent, prefix)) {
            SecureRemoval.remove(directory);
        }
    }

    /// A directory that everybody may look into and only root writes to, whatever the umask is.
    static void openDirectory(Path directory) throws IOException {
        Files.createDirectories(directory, mode("rwx------"));
        Ownership.requireSafeAncestors(directory.resolve("any"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    static FileAttribute<Set<PosixFilePermission>> mode(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }
}
