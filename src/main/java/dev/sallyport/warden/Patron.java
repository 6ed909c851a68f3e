package dev.sallyport.warden;

import dev.sallyport.config.Home;
import dev.sallyport.config.Ownership;
import dev.sallyport.sandbox.Guest;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.bubblewrap.Guise;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.Callable;

/// For whom a warden works: for the account it runs as, or, when root's gatehouse has started it,
/// for one guest.
///
/// What a guest asks root to do must not be more than what the guest could do alone: paths are
/// looked at with the guest's rights, sandboxes are made as the guest, and a container engine is
/// used only for those who may use it themselves.
///
/// @param number of the account that the guest's gateway has for itself, and of the group by which
///   the guest's sandboxes read their files
record Patron(Home home, Optional<Guest> guest, int number) {
    static Patron own(Home home) {
        return new Patron(home, Optional.empty(), GatewayAccount.GATEWAY_UID);
    }

    Person person() {
        return guest.map(Guest::person).orElseGet(Person::current);
    }

    Installation installation() {
        return new Installation(home.root(), home.sandboxes());
    }

    Guise guise() {
        return new Guise(guest, number);
    }

    /// Whether those whom we work for can put a command into a group that we made.
    boolean entersGroups() {
        return guest.isEmpty() || guest.get().person().isRoot();
    }

    /// Makes the home and what is around it.
    void prepare() throws IOException {
        home.create();
        if (guest.isPresent()) {
            makePassable(home.sandboxes());
            makePassable(home.homes());
        }
    }

    /// Makes a directory of ours that the programs which make sandboxes can pass through.
    void makePassable(Path directory) throws IOException {
        if (guest.isEmpty()) {
            Ownership.createPrivateDirectory(directory);
            return;
        }
        Files.createDirectories(directory);
        Ownership.requireRootsDirectory(directory);
        Files.setAttribute(directory, "unix:gid", number);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-x---"));
    }

    /// What a look at a person's files may throw.
    interface Look<T> {
        T look() throws IOException, OperationException;
    }

    /// Looks at files with the rights of whom we work for.
    <T> T with(Look<T> look) throws IOException, OperationException {
        if (guest.isEmpty()) {
            return look.look();
        }
        Callable<T> task = look::look;
        try {
            return guest.get().during(task);
        } catch (IOException | OperationException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /// Why this engine is not used, or empty. Whoever can talk to it is root on this machine.
    Optional<String> engineClosed(URI engine) {
        if (guest.isEmpty() || guest.get().person().isRoot()) {
            return Optional.empty();
        }
        Path socket = Path.of(engine.getPath());
        if (!Files.exists(socket)) {
            return Optional.of("there is no container engine at " + socket + ".");
        }
        try {
            return with(
                    () -> {
                        try (SocketChannel channel =
                                SocketChannel.open(StandardProtocolFamily.UNIX)) {
                            channel.connect(UnixDomainSocketAddress.of(socket));
                            return Optional.<String>empty();
                        }
                    });
        } catch (IOException | OperationException e) {
            return Optional.of(
                    "you have no permission to use the container engine at "
                            + socket
                            + "; use --runtime bubblewrap");
        }
    }
}
