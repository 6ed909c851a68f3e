package dev.sallyport.fleet;

import dev.sallyport.config.AgeKey;
import dev.sallyport.config.Ownership;
import dev.sallyport.config.SealedJson;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/// The files of one gateway: a directory for each kind. Requests are remembered in memory; the next
/// process accepts nothing that was signed before the newest that it does not remember.
final class FileFleet implements FleetStore {
    private final Path directory;
    private final Optional<AgeKey> key;
    private final Nonces nonces = new Nonces();

    FileFleet(Path directory, Optional<AgeKey> key) {
        this.directory = directory;
        this.key = key;
    }

    private record Files<T>(SealedJson<T> json) implements Shelf.Keeping<T> {
        @Override
        public void write(String name, T value, Runnable kept) throws IOException {
            json.write(name, value);
            kept.run();
        }

        @Override
        public void remove(String name, Runnable kept) throws IOException {
            json.removeForGood(name);
            kept.run();
        }
    }

    @Override
    public String shown() {
        return directory.toString();
    }

    @Override
    public <T> Shelf<T> shelf(String kind, Class<T> type, Shelf.Check<T> check) throws IOException {
        SealedJson<T> json = json(kind, type);
        Shelf<T> shelf = new Shelf<>(new Files<>(json));
        for (String name : json.names()) {
            T value = json.read(name);
            check.of(name, value);
            shelf.show(name, value);
        }
        return shelf;
    }

    private <T> SealedJson<T> json(String kind, Class<T> type) throws IOException {
        Ownership.createPrivateDirectory(directory);
        return new SealedJson<>(
                directory.resolve(kind), SECRET.contains(kind) ? key : Optional.empty(), type);
    }

    @Override
    public synchronized <T> T change(Change<T> change) throws IOException, RefusedException {
        return change.run();
    }

    @Override
    public synchronized void remember(SignedRequest.Parts request, Instant now)
            throws RefusedException {
        nonces.add(request, now);
    }

    @Override
    public synchronized void returned(HostId host, Instant newest) {
        nonces.forgotten(host, newest);
    }

    @Override
    public synchronized void forget(HostId host) {
        nonces.forget(host);
    }

    /// There are no others.
    @Override
    public Set<String> refresh() {
        return Set.of();
    }

    @Override
    public synchronized void seal() throws IOException {
        for (String kind : SECRET) {
            json(kind, Object.class).seal();
        }
    }
}
