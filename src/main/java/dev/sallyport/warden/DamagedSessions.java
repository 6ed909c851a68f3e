package dev.sallyport.warden;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Stamp;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.SandboxRuntime;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.SessionStore.DamagedException;
import dev.sallyport.session.SessionStore.DamagedRow;
import dev.sallyport.session.StoreException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Sandboxes whose row in the store cannot be read. What runs of them lives on without doors until
/// a person destroys it; the others do not notice.
record DamagedSessions(
        SessionStore store,
        Runtimes runtimes,
        Doors doors,
        Ledger ledger,
        NameLocks locks,
        Set<String> told) {
    private static final System.Logger LOG = System.getLogger(DamagedSessions.class.getName());

    DamagedSessions(
            SessionStore store, Runtimes runtimes, Doors doors, Ledger ledger, NameLocks locks) {
        this(store, runtimes, doors, ledger, locks, ConcurrentHashMap.newKeySet());
    }

    static OperationException refused(DamagedException e) {
        return OperationException.conflict(
                e.getMessage() + " It has no gateway access.",
                "Remove it: sallyport destroy " + e.row().name());
    }

    /// Takes the doors of those that were damaged meanwhile; recorded once.
    void setAside(List<DamagedRow> rows) {
        for (DamagedRow row : rows) {
            id(row).ifPresent(doors::close);
            if (told.add(row.id())) {
                LOG.log(System.Logger.Level.ERROR, "damaged, and has no doors: " + row);
                var _ = ledger.append(List.of(event("session.damaged", row)), _ -> Stamp.NONE);
            }
        }
    }

    /// By its name or by its id, because either may be what is damaged.
    Optional<DamagedRow> find(String named) throws OperationException {
        return OperationException.asking(
                () ->
                        store.contents().damaged().stream()
                                .filter(row -> row.name().equals(named) || row.id().equals(named))
                                .findFirst());
    }

    /// What it was made of nobody knows, so whatever no session owns is swept.
    void destroy(DamagedRow row) throws OperationException {
        ledger.record(event("session.destroy", row));
        id(row).ifPresent(doors::close);
        OperationException.doing(() -> store.delete(row));
        told.remove(row.id());
        for (SandboxRuntime runtime : runtimes.usable()) {
            sweep(runtime);
        }
    }

    /// Removes what a runtime holds and no session owns. Nothing is made meanwhile, because it
    /// could be taken for an orphan.
    int sweep(SandboxRuntime runtime) throws OperationException {
        return locks.withExclusive(
                runtime.kind(), () -> OperationException.asking(() -> runtime.sweep(known())));
    }

    /// Removes the keys of sessions that are gone.
    void sweep(Authorities authorities) throws OperationException {
        Set<SessionId> kept = OperationException.asking(authorities::sessions);
        Set<SessionId> known = OperationException.asking(this::known);
        kept.stream().filter(id -> !known.contains(id)).forEach(authorities::remove);
    }

    /// Removes the homes of sessions that are gone. They are listed before sessions are, so that a
    /// new one is not taken for an orphan.
    void sweep(Homes homes) throws OperationException {
        List<Path> found = homes.directories();
        OperationException.doing(() -> homes.sweep(found, known()));
    }

    /// All sessions, whether they can be read or not.
    private Set<SessionId> known() throws StoreException {
        SessionStore.Contents all = store.contents();
        return Stream.concat(
                        all.sessions().stream().map(Session::id),
                        all.damaged().stream().flatMap(row -> id(row).stream()))
                .collect(Collectors.toSet());
    }

    private static Optional<SessionId> id(DamagedRow row) {
        try {
            return Optional.of(new SessionId(row.id()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static AuditEvent event(String kind, DamagedRow row) {
        String id = id(row).map(SessionId::value).orElse("");
        return new AuditEvent(kind, id, "", Map.of("sandbox", row.name(), "damage", row.reason()));
    }
}
