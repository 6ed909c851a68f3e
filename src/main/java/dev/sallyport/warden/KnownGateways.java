package dev.sallyport.warden;

import dev.sallyport.config.AgeKey;
import dev.sallyport.config.Ownership;
import dev.sallyport.config.SealedJson;
import dev.sallyport.control.HostApi;
import dev.sallyport.fleet.SignedAddresses;
import dev.sallyport.host.GatewayClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/// What this machine keeps of the gateways that it is enrolled with: which authorities they have,
/// and where they and those are that share a store with them.
///
/// @param directory 0700; made where there is none
record KnownGateways(Path directory, Optional<AgeKey> key) {
    /// @param authorities newest last (PEM)
    /// @param host what this machine is called there
    record Stored(String address, List<String> authorities, String host) {}

    /// Where gateways can be reached that share a store with it.
    private record Addresses(List<String> gateways) {
        Addresses {
            gateways = List.copyOf(gateways);
        }
    }

    SortedSet<String> names() throws IOException {
        return files().names();
    }

    void keep(String name, Stored stored) throws IOException {
        files().write(name, stored);
    }

    void remove(String name) throws IOException {
        files().removeForGood(name);
        if (places().names().contains(name)) {
            places().removeForGood(name);
        }
    }

    /// Where to ask it, in this order.
    List<String> addresses(String gateway) throws OperationException {
        Set<String> all = new LinkedHashSet<>();
        Stored stored = find(gateway);
        if (OperationException.asking(() -> places().names().contains(gateway))) {
            all.addAll(OperationException.asking(() -> places().read(gateway)).gateways());
        }
        all.add(stored.address());
        return List.copyOf(all);
    }

    /// Those that are trusted from now on, after the gateway has told which it has.
    ///
    /// @param gateways where it says that gateways are; what its warden has not signed, just now,
    ///   changes nothing
    synchronized List<String> learn(String gateway, List<HostApi.Authority> told, String gateways)
            throws OperationException {
        try {
            Stored stored = find(gateway);
            List<String> now = GatewayClient.learned(stored.authorities(), told);
            if (!stored.authorities().equals(now)) {
                files().write(gateway, new Stored(stored.address(), now, stored.host()));
            }
            Optional<List<String>> signed =
                    SignedAddresses.read(
                            SignedAddresses.Use.GATEWAYS, gateways, now, Instant.now());
            if (signed.isPresent()) {
                learnPlaces(gateway, new Addresses(signed.get()));
            }
            return now;
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
    }

    private void learnPlaces(String gateway, Addresses next) throws IOException {
        boolean known = places().names().contains(gateway);
        if (known && next.gateways().isEmpty()) {
            places().remove(gateway);
        } else if (!next.gateways().isEmpty() && !(known && isKnown(gateway, next))) {
            places().write(gateway, next);
        }
    }

    /// Each names itself first.
    private boolean isKnown(String gateway, Addresses told) throws IOException {
        return Set.copyOf(places().read(gateway).gateways()).equals(Set.copyOf(told.gateways()));
    }

    Stored find(String name) throws OperationException {
        if (OperationException.asking(() -> files().names().contains(name))) {
            return OperationException.asking(() -> files().read(name));
        }
        throw OperationException.notFound(
                "There is no gateway named " + name + ".",
                "List them with: sallyport enroll --list");
    }

    /// Encrypts them to the key that is configured.
    void seal() throws IOException {
        files().seal();
    }

    private SealedJson<Addresses> places() throws IOException {
        Ownership.createPrivateDirectory(directory);
        return new SealedJson<>(directory.resolve("addresses"), Optional.empty(), Addresses.class);
    }

    private SealedJson<Stored> files() throws IOException {
        Ownership.createPrivateDirectory(directory);
        return new SealedJson<>(directory.resolve("known"), key, Stored.class);
    }
}
