package dev.sallyport.warden;

import dev.sallyport.config.AgeKey;
import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Ownership;
import dev.sallyport.config.SealedJson;
import dev.sallyport.fleet.FleetAuthority;
import dev.sallyport.fleet.FleetStore;
import dev.sallyport.fleet.Hosts;
import dev.sallyport.fleet.Pods;
import dev.sallyport.fleet.SessionBadges;
import dev.sallyport.fleet.SharedRecords;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;

/// What is kept about other machines. It is made when somebody first wants it.
record FleetFiles(
        FleetStore store, FleetAuthority authority, Hosts hosts, SessionBadges badges, Pods pods) {
    private static final String PORT = "port";

    /// At which address other machines find it; a record of the same form.
    private static final String ADDRESS = "address";

    /// Whether the session is one of a host that is enrolled.
    boolean isOfHost(SessionId session) {
        return badges.host(session).flatMap(hosts::find).isPresent();
    }

    /// Opens it when it is needed.
    static final class Source {
        private final Path directory;
        private final Optional<AgeKey> key;
        private final Optional<SharedRecords> shared;
        private volatile Optional<FleetFiles> opened = Optional.empty();

        /// @param directory of this machine; with a shared store it has only the port
        /// @param shared with other gateways
        Source(Path directory, Optional<AgeKey> key, Optional<SharedRecords> shared) {
            this.directory = directory;
            this.key = key;
            this.shared = shared;
        }

        /// Whether somebody wanted it before; with a shared store, of this process.
        boolean exists() {
            return opened.isPresent() || (shared.isEmpty() && Files.isDirectory(directory));
        }

        /// With others, who share it.
        Optional<SharedRecords> shared() {
            return shared;
        }

        Optional<AgeKey> key() {
            return key;
        }

        FleetFiles get() throws IOException {
            Optional<FleetFiles> known = opened;
            return known.isPresent() ? known.get() : open();
        }

        private synchronized FleetFiles open() throws IOException {
            if (opened.isEmpty()) {
                InstantSource clock = InstantSource.system();
                FleetStore store =
                        shared.isPresent()
                                ? FleetStore.shared(shared.get(), requireKey())
                                : FleetStore.files(directory, key);
                FleetAuthority authority = FleetAuthority.open(store, clock);
                Hosts hosts = Hosts.open(store, clock, authority);
                SessionBadges badges = SessionBadges.open(store, clock, authority);
                Pods pods = Pods.open(store, clock, hosts, badges);
                opened = Optional.of(new FleetFiles(store, authority, hosts, badges, pods));
            }
            return opened.get();
        }

        /// What is in a database leaves this machine, and goes into its backups.
        private AgeKey requireKey() throws ConfigException {
            return key.orElseThrow(
                    () ->
                            new ConfigException(
                                    "The authority for other machines is kept in the database of store:, and there is no key to encrypt it with.",
                                    "Configure a key in policy.yaml, the same one on all gateways: secrets: {key-file: FILE}. Then restart the daemon."));
        }

        /// The store with a key that was configured since it was opened.
        FleetStore sealing(AgeKey now) throws IOException {
            if (shared.isPresent() && !key.equals(Optional.of(now))) {
                throw new ConfigException(
                        "policy.yaml names another key than when the daemon began; what gateways share stays encrypted to the first one.",
                        "Name the first file again. To replace the key, put the new one before the old one in that file, on all gateways, and then run: sallyport secret encrypt");
            }
            return shared.isPresent()
                    ? get().store()
                    : FleetStore.files(directory, Optional.of(now));
        }

        /// What a person wanted: where the port is, and where others find it.
        ///
        /// @param listen address and port
        /// @param address empty for the usual one
        record Wanted(String listen, Optional<String> address) {}

        /// The port at which other machines come in, while they may.
        Optional<Wanted> port() throws IOException {
            return Files.isDirectory(directory) && ports().names().contains(PORT)
                    ? Optional.of(new Wanted(ports().read(PORT).address(), address()))
                    : Optional.empty();
        }

        private Optional<String> address() throws IOException {
            return ports().names().contains(ADDRESS)
                    ? Optional.of(ports().read(ADDRESS).address())
                    : Optional.empty();
        }

        void keepPort(Wanted wanted) throws IOException {
            Ownership.createPrivateDirectory(directory);
            if (wanted.address().isPresent()) {
                ports().write(ADDRESS, new Port(wanted.address().get()));
            } else {
                forget(ADDRESS);
            }
            ports().write(PORT, new Port(wanted.listen()));
        }

        void forgetPort() throws IOException {
            if (Files.isDirectory(directory)) {
                forget(PORT);
            }
        }

        private void forget(String name) throws IOException {
            if (ports().names().contains(name)) {
                ports().removeForGood(name);
            }
        }

        private SealedJson<Port> ports() {
            return new SealedJson<>(directory.resolve("ports"), Optional.empty(), Port.class);
        }
    }

    private record Port(String address) {}
}
