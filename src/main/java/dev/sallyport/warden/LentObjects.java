package dev.sallyport.warden;

import dev.sallyport.config.Home;
import dev.sallyport.sandbox.HostMount;
import dev.sallyport.sandbox.Mounts;
import dev.sallyport.sandbox.SandboxSpec;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The directories with the objects that clones share (ADR 18). Each has the name of its clone, is
/// mounted read-only beside it, is filled by the gateway, and stays as long as the clone does,
/// which cannot be read without it.
///
/// @param base the gateway can pass through it and nobody else but the person
record LentObjects(Home home, GatewayAccount account, Path base) {
    /// Where the gateway keeps the packs that it links; see `mirror.SharedPacks`.
    private static final String POOL = ".pool";

    private static final System.Logger LOG = System.getLogger(LentObjects.class.getName());

    static LentObjects of(Patron patron) {
        GatewayAccount account = GatewayAccount.of(patron);
        return new LentObjects(patron.home(), account, account.lent());
    }

    /// Makes what gateways need to share objects. Root's sandboxes have no rights over the files of
    /// a gateway with a number of its own but those of everybody; the way to them is root's, and
    /// the gateway passes by its group. It can put nothing in the place of a clone's directory.
    static void prepareBase(GatewayAccount account) throws IOException {
        Path base = account.lent();
        makeDirectory(base, "rwx------");
        if (account.separateUid().isPresent()) {
            Files.setAttribute(base, "unix:gid", account.uid(), LinkOption.NOFOLLOW_LINKS);
            Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwx--x---"));
        }
        forGateway(account, base.resolve(POOL));
    }

    private static void makeDirectory(Path directory, String mode) throws IOException {
        if (Files.notExists(directory, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(directory, GatewayAccount.mode("rwx------"));
            // Not when it is made, where a umask may take a right away again.
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(mode));
        }
    }

    private static void forGateway(GatewayAccount account, Path directory) throws IOException {
        makeDirectory(directory, "rwxr-xr-x");
        if (account.separateUid().isPresent()) {
            Files.setAttribute(directory, "unix:gid", account.uid(), LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(directory, "unix:uid", account.uid(), LinkOption.NOFOLLOW_LINKS);
        }
    }

    /// With the objects of a workspace that is a clone.
    Mounts beside(Path workspace, Mounts mounts) {
        if (!home.clones().equals(workspace.getParent())) {
            return mounts;
        }
        List<HostMount> extra = new ArrayList<>(mounts.extra());
        extra.add(new HostMount(base.resolve(workspace.getFileName()), false, false));
        return new Mounts(extra, mounts.hidden(), mounts.searched());
    }

    /// The one of a sandbox whose workspace is a clone.
    Optional<Path> of(SandboxSpec spec) {
        return spec.mounts().extra().stream()
                .map(HostMount::path)
                .filter(path -> base.equals(path.getParent()))
                .findFirst();
    }

    /// Makes the directory, if it is not there, or not this clone's.
    void prepare(SandboxSpec spec) throws OperationException {
        Optional<Path> directory = of(spec);
        if (directory.isEmpty()) {
            return;
        }
        sweep();
        try {
            if (isEmpty(spec.workspace())) {
                // The clone is new; what is there is of an earlier one that had its name.
                SecureRemoval.remove(directory.get());
            }
            forGateway(account, directory.get());
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
    }

    private static boolean isEmpty(Path workspace) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(workspace)) {
            return !entries.iterator().hasNext();
        }
    }

    /// Removes those whose clone is gone.
    void sweep() {
        if (!Files.isDirectory(base)) {
            return;
        }
        try (DirectoryStream<Path> all = Files.newDirectoryStream(base, "[!.]*")) {
            for (Path directory : all) {
                if (Files.notExists(home.clones().resolve(directory.getFileName()))) {
                    SecureRemoval.remove(directory);
                }
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "objects of a clone stay behind", e);
        }
    }
}
