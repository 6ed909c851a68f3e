package dev.sallyport.session;

import dev.sallyport.audit.AuditMarks;
import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import dev.sallyport.config.StorePlace;
import dev.sallyport.fleet.FleetStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Opens the store that a policy file names, or the file of this machine.
///
/// A home keeps to its store as long as it may have sandboxes there: another store does not know
/// them, and what no store knows is swept away.
public final class SessionStores {
    private static final int NAMES_SHOWN_MAX = 10;

    private SessionStores() {}

    public static SessionStore open(Home home, Optional<StorePlace> place) throws IOException {
        if (place.isEmpty()) {
            requireNeverShared(home);
            return SqliteSessionStore.open(home.database(), home.nativeLibraries());
        }
        requireEmptyFile(home);
        if (!hasBeenShared(home)) {
            requireNoMachines(home);
        }
        // All accounts of a system-wide service have one policy file, and so one store.
        PostgresSessionStore.Sight sight =
                home.lodging().isPresent()
                        ? PostgresSessionStore.Sight.OWN
                        : PostgresSessionStore.Sight.ALL;
        return PostgresSessionStore.open(place.get(), GatewayId.open(home.gatewayId()), sight);
    }

    /// Only what is about the audit log, to change it; no sandbox notices.
    public static AuditStore openAudit(Home home, Optional<StorePlace> place) throws IOException {
        return place.isEmpty()
                ? SqliteSessionStore.open(home.database(), home.nativeLibraries())
                : PostgresSessionStore.openAudit(place.get(), GatewayId.open(home.gatewayId()));
    }

    /// What is asked about the audit log.
    public interface Question<T> {
        T of(AuditMarks known) throws IOException;
    }

    /// Asks, and changes nothing; empty when there is no store yet.
    public static <T> Optional<T> askAudit(
            Home home, Optional<StorePlace> place, Question<T> question) throws IOException {
        if (place.isEmpty()) {
            return SqliteSessionStore.askAudit(home.database(), home.nativeLibraries(), question);
        }
        if (!hasBeenShared(home)) {
            return Optional.empty();
        }
        GatewayId gateway = GatewayId.load(home.gatewayId());
        try (AuditStore store = PostgresSessionStore.audit(place.get(), gateway)) {
            return Optional.of(question.of(store));
        }
    }

    private static boolean hasBeenShared(Home home) {
        return Files.exists(home.gatewayId(), LinkOption.NOFOLLOW_LINKS);
    }

    private static void requireNeverShared(Home home) throws ConfigException {
        if (hasBeenShared(home)) {
            throw new ConfigException(
                    "policy.yaml names no store any more, but this gateway may have sandboxes in one.",
                    "Write store: into policy.yaml again. If you have destroyed the sandboxes, remove "
                            + home.gatewayId()
                            + " instead.");
        }
    }

    private static void requireEmptyFile(Home home) throws IOException {
        int left = SqliteSessionStore.sessions(home.database(), home.nativeLibraries());
        if (left > 0) {
            throw new ConfigException(
                    "%s has %s sandboxes, which another store would not know."
                            .formatted(home.database(), left),
                    "Remove store: from policy.yaml, destroy them, then write it again.");
        }
    }

    /// They know the authority of this home, and not the one that gateways share.
    private static void requireNoMachines(Home home) throws IOException {
        List<String> names = FleetStore.machines(home.fleet());
        if (!names.isEmpty()) {
            throw new ConfigException(
                    "%s has enrolled machines (%s), which gateways with a store would not know."
                            .formatted(home.fleet(), shown(names)),
                    "Enroll them again: move this directory aside and start the daemon; then, for each machine, run sallyport gateway code NAME here, and there sallyport enroll --remove gateway and sallyport enroll CODE. See docs/remote.md.");
        }
    }

    private static String shown(List<String> names) {
        int more = names.size() - NAMES_SHOWN_MAX;
        return names.stream().limit(NAMES_SHOWN_MAX).collect(Collectors.joining(", "))
                + (more > 0 ? " and " + more + " more" : "");
    }
}
