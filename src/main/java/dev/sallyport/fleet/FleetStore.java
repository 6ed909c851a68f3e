package dev.sallyport.fleet;

import dev.sallyport.config.AgeKey;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Where all that is known of other machines is kept: in files of one gateway, or in a database
/// that several gateways share. Changes happen one after the other, among all gateways that share
/// it.
public interface FleetStore {
    /// What the authorities, their keys and those of the gateway's certificate are kept as.
    String AUTHORITY = "authority";

    /// What open codes are kept as.
    String CODES = "codes";

    String HOSTS = "hosts";

    /// The certificates of sessions.
    String BADGES = "badges";

    /// Pods that are hosts, or were.
    String PODS = "pods";

    /// The kinds that are encrypted.
    Set<String> SECRET = Set.of(AUTHORITY, CODES);

    /// In files.
    ///
    /// @param directory 0700; made where there is none
    /// @param key what secrets are encrypted to
    static FleetStore files(Path directory, Optional<AgeKey> key) {
        return new FileFleet(directory, key);
    }

    /// The names of the machines that are enrolled in files, for a gateway that is to have a
    /// database instead. Pods are left out: they come by themselves.
    ///
    /// @param directory that of [#files], which need not be there
    static List<String> machines(Path directory) throws IOException {
        return Hosts.namesIn(directory);
    }

    /// In a database.
    ///
    /// @param key what secrets are encrypted to; the same for all gateways
    static FleetStore shared(SharedRecords records, AgeKey key) {
        return new SharedFleet(records, key);
    }

    /// Something that happens wholly or not at all.
    interface Change<T> {
        T run() throws IOException, RefusedException;
    }

    /// The same without a reason to refuse it.
    interface Update<T> {
        T run() throws IOException;
    }

    /// What this is called in complaints.
    String shown();

    /// Records of one kind, with all that are there; opened once.
    ///
    /// @param kind encrypted if it is one of [#SECRET]
    <T> Shelf<T> shelf(String kind, Class<T> type, Shelf.Check<T> check) throws IOException;

    /// Runs it when no other change happens, and after it has been seen what others have changed.
    /// What was written before a refusal stays.
    <T> T change(Change<T> change) throws IOException, RefusedException;

    /// As [#change].
    default <T> T update(Update<T> update) throws IOException {
        try {
            return change(update::run);
        } catch (RefusedException e) {
            throw new IllegalStateException("nothing is refused here", e);
        }
    }

    /// Remembers a request that was verified, within [#change].
    ///
    /// @throws RefusedException when it may have been there already, or there is no room
    void remember(SignedRequest.Parts request, Instant now) throws IOException, RefusedException;

    /// A host was read that has sent requests before this process began.
    ///
    /// @param newest when the newest of them was signed
    void returned(HostId host, Instant newest);

    /// The host is gone, and with it the key that signed; within [#change].
    void forget(HostId host) throws IOException;

    /// Sees what others have changed.
    ///
    /// @return kind and name, as `kind/name`, of what has changed since this was asked last
    Set<String> refresh() throws IOException;

    /// Whether there is a record of this name that cannot be read here, such as one of a newer
    /// gateway. What it says is not known, not even that it is gone.
    ///
    /// @param name as [#refresh] says it
    default boolean isAside(String name) {
        return false;
    }

    /// Encrypts all that is secret to the key that is configured now.
    void seal() throws IOException;
}
