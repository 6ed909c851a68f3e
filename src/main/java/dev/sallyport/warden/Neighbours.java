package dev.sallyport.warden;

import dev.sallyport.config.RecordBytes;
import dev.sallyport.credential.Authority;
import dev.sallyport.credential.Secret;
import dev.sallyport.fleet.SharedRecords;
import dev.sallyport.fleet.SignedAddresses;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionLeases;
import dev.sallyport.session.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The other gateways that share the store of this one (ADR 39): where they are, and how a session
/// of another machine comes from one to the other. With a store of its own a gateway has none.
final class Neighbours {
    private static final System.Logger LOG = System.getLogger(Neighbours.class.getName());

    /// What the keys of authorities for inspected hosts are kept as.
    private static final String INSPECTION = "inspection";

    private final FleetFiles.Source files;
    private final SessionLeases leases;
    private final Sandboxes sandboxes;
    private final Authorities authorities;
    private final PolicyChanges policy;
    private final Ledger ledger;
    private final NameLocks taking = new NameLocks();
    private volatile List<SharedRecords.Gateway> reachable = List.of();

    /// Whether the port is open; without it, no session is taken.
    private volatile boolean open;

    /// Whether there may be sessions left that others are to have.
    private volatile boolean owed;

    Neighbours(
            FleetFiles.Source files,
            SessionLeases leases,
            Sandboxes sandboxes,
            Authorities authorities,
            PolicyChanges policy,
            Ledger ledger) {
        this.files = files;
        this.leases = leases;
        this.sandboxes = sandboxes;
        this.authorities = authorities;
        this.policy = policy;
        this.ledger = ledger;
    }

    private record Inspecting(String certificate, Secret key) {}

    boolean arePossible() {
        return files.shared().isPresent();
    }

    /// Where gateways of this store can be reached, this one first; empty without such a store.
    List<String> addresses() {
        return reachable.stream().map(SharedRecords.Gateway::address).toList();
    }

    /// The same, for hosts.
    String signedAddresses() throws IOException {
        return signed(SignedAddresses.Use.GATEWAYS, addresses());
    }

    /// The gateway process, which passes it on, could say anything.
    private String signed(SignedAddresses.Use use, List<String> addresses) throws IOException {
        return files.get().authority().signed(use, addresses);
    }

    /// Says that this one can be reached, and asks for the others.
    void announce(String address) throws IOException {
        open = true;
        owed = false;
        if (files.shared().isPresent()) {
            files.shared().get().announce(address);
            look();
        }
    }

    void look() throws IOException {
        if (files.shared().isPresent()) {
            reachable = files.shared().get().gateways();
        }
    }

    /// Tries again what did not succeed.
    void giveBackOwed() {
        if (owed) {
            giveBack();
        }
    }

    /// Lets others have the sessions of other machines at once. Their doors are closed before.
    void giveBack() {
        if (files.shared().isEmpty()) {
            return;
        }
        open = false;
        owed = true;
        try {
            files.shared().get().withdraw();
            for (Session session : sandboxes.list()) {
                if (session.spec().runtime() == RuntimeKind.REMOTE) {
                    sandboxes.change(session.id(), this::giveBack);
                }
            }
            owed = false;
        } catch (IOException | OperationException | RuntimeException e) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "sessions of other machines are not given back yet",
                    e);
        }
    }

    private Session giveBack(Session session) throws OperationException {
        ledger.note("session.give-back", session, Map.of());
        sandboxes.rights().doors().close(session.id());
        OperationException.doing(() -> leases.release(session.id()));
        return session;
    }

    /// Takes a session that no gateway serves, and opens its doors here as after a restart.
    ///
    /// @throws OperationException when another gateway has it, or there is none
    Session take(SessionId id) throws OperationException {
        if (!arePossible()) {
            throw FleetDesk.unknown();
        }
        if (!open) {
            throw elsewhere(id);
        }
        return taking.with(
                id.value(),
                () -> {
                    Optional<Session> here = sandboxes.find(id);
                    return here.isPresent() ? here.get() : taken(id);
                });
    }

    /// Whatever fails on the way: then it is not this gateway's.
    private Session taken(SessionId id) throws OperationException {
        try {
            Session session =
                    policy.under(() -> sandboxes.arrivals().bring(id, () -> broughtOrNot(id)));
            if (!open) {
                // Whoever gave back the others may not have seen it.
                throw elsewhere(id);
            }
            return session;
        } catch (OperationException | RuntimeException e) {
            giveUp(id);
            throw e;
        }
    }

    /// Given up before anybody else finds it.
    private Session broughtOrNot(SessionId id) throws OperationException {
        try {
            return brought(id);
        } catch (OperationException | RuntimeException e) {
            giveUp(id);
            throw e;
        }
    }

    private Session brought(SessionId id) throws OperationException {
        try {
            if (!leases.take(id)) {
                throw elsewhere(id);
            }
            Session session = sandboxes.find(id).orElseThrow(FleetDesk::unknown);
            ledger.record("session.take", session, Map.of());
            borrow(session);
            policy.narrow(session);
            sandboxes.arrivals().expect(session);
            sandboxes.recover(session);
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
        return sandboxes.find(id).orElseThrow(FleetDesk::unknown);
    }

    private void giveUp(SessionId id) {
        try {
            sandboxes.rights().doors().close(id);
        } finally {
            try {
                leases.release(id);
            } catch (StoreException e) {
                LOG.log(System.Logger.Level.WARNING, "not given back: " + id, e);
            }
        }
    }

    /// Makes a session here, which the next gateway can have. One that is made while the port is
    /// closed goes again: nobody would come in for it, and nobody would give it back.
    Session made(NameLocks.Work<Session> making) throws OperationException {
        requireOpen();
        Session made = making.run();
        try {
            share(made);
            requireOpen();
            return made;
        } catch (OperationException | RuntimeException e) {
            sandboxes.destroy(made.id());
            throw e;
        }
    }

    private void requireOpen() throws OperationException {
        if (arePossible() && !open) {
            throw OperationException.unavailable(
                    "This gateway is closing.", "Try again: another gateway may answer.");
        }
    }

    /// Who has the session, as the host is told that asked for it.
    OperationException elsewhere(SessionId id) {
        try {
            Optional<SessionLeases.Holder> holder = leases.holder(id);
            if (holder.isEmpty()) {
                return FleetDesk.unknown();
            }
            look();
            List<String> address =
                    reachable.stream()
                            .filter(gateway -> gateway.id().equals(holder.get().gateway()))
                            .map(SharedRecords.Gateway::address)
                            .limit(1)
                            .toList();
            return new OperationException(
                    OperationException.Fault.ELSEWHERE,
                    "Another gateway has this session.",
                    signed(SignedAddresses.Use.ELSEWHERE, address));
        } catch (IOException e) {
            return OperationException.failed(e);
        }
    }

    /// Whether no gateway has a lease of it, and this one takes sessions.
    boolean mayTake(SessionId id) throws IOException {
        return open && leases.holder(id).filter(holder -> !holder.good()).isPresent();
    }

    /// Whether it is in the store, with whichever gateway.
    boolean exists(SessionId id) throws IOException {
        return leases.holder(id).isPresent();
    }

    /// Lets the next gateway of a session have what this one made for it.
    private void share(Session session) throws OperationException {
        Optional<SharedRecords> records = files.shared();
        Optional<Authority> made = authorities.find(session);
        if (records.isEmpty() || made.isEmpty()) {
            return;
        }
        Inspecting kept = new Inspecting(made.get().certificatePem(), made.get().key());
        OperationException.doing(
                () -> records.get().keep(INSPECTION, session.id().value(), bytes().of(kept)));
    }

    private void borrow(Session session) throws IOException {
        Optional<byte[]> kept = files.shared().orElseThrow().kept(INSPECTION, session.id().value());
        if (kept.isPresent()) {
            Inspecting found = bytes().read(kept.get(), "the authority of " + session.name());
            try {
                authorities.keep(session.id(), Authority.of(found.certificate(), found.key()));
            } catch (IllegalArgumentException e) {
                throw new IOException("the authority of " + session.name() + " is damaged", e);
            }
        }
    }

    void forget(SessionId id) throws IOException {
        if (files.shared().isPresent()) {
            files.shared().get().discard(INSPECTION, id.value());
        }
    }

    /// Removes what is left in the store of sessions and gateways that are gone.
    void sweep() throws IOException {
        if (files.shared().isPresent()) {
            int gone = files.shared().get().sweep(INSPECTION);
            if (gone > 0) {
                LOG.log(System.Logger.Level.INFO, "swept from the store: " + gone + " rows");
            }
        }
    }

    private RecordBytes<Inspecting> bytes() {
        return new RecordBytes<>(files.key(), Inspecting.class);
    }
}
