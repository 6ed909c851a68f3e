package dev.sallyport.warden;

import dev.sallyport.config.AgeKey;
import dev.sallyport.config.SealedJson;
import dev.sallyport.fleet.FleetAuthority;
import dev.sallyport.fleet.Hosts;
import dev.sallyport.fleet.Pods;
import dev.sallyport.fleet.SessionBadges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;

/// What is kept here about other machines. It is made when somebody first wants it.
record FleetFiles(FleetAuthority authority, Hosts hosts, SessionBadges badges, Pods pods) {
    private static final String PORT = "port";

    /// Opens it when it is needed.
    static final class Source {
        private final Path directory;
        private final Optional<AgeKey> key;
        private Optional<FleetFiles> opened = Optional.empty();

        Source(Path directory, Optional<AgeKey> key) {
            this.directory = directory;
            this.key = key;
        }

        /// Whether somebody wanted it before.
        boolean exists() {
            return Files.isDirectory(directory);
        }

        synchronized FleetFiles get() throws IOException {
            if (opened.isEmpty()) {
                InstantSource clock = InstantSource.system();
                FleetAuthority authority = FleetAuthority.open(directory, key, clock);
                Hosts hosts = Hosts.open(directory, key, clock, authority);
                SessionBadges badges = SessionBadges.open(directory, clock, authority);
                Pods pods = Pods.open(directory, clock, hosts, badges);
                opened = Optional.of(new FleetFiles(authority, hosts, badges, pods));
            }
            return opened.get();
        }

        /// The address at which other machines come in, while they may.
        Optional<String> port() throws IOException {
            return exists() && ports().names().contains(PORT)
                    ? Optional.of(ports().read(PORT).address())
                    : Optional.empty();
        }

        void keepPort(Optional<String> address) throws IOException {
            if (address.isPresent()) {
                ports().write(PORT, new Port(address.get()));
            } else if (exists()) {
                ports().removeForGood(PORT);
            }
        }

        private SealedJson<Port> ports() {
            return new SealedJson<>(directory.resolve("ports"), Optional.empty(), Port.class);
        }
    }

    private record Port(String address) {}
}
