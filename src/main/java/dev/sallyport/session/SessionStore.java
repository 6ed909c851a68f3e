package dev.sallyport.session;

import dev.sallyport.fleet.SharedRecords;
import dev.sallyport.policy.SessionId;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Keeps sessions across restarts and crashes. What a method has returned from survives a kill.
///
/// Where several gateways share a store, each sees and changes only what it holds by
/// [SessionLeases]; a change of anything else is refused with a [StaleLeaseException].
public interface SessionStore extends AuditStore {
    /// Refuses a name or an id that is taken.
    ///
    /// @throws TakenException when there is one already, wherever it is
    void insert(Session session) throws StoreException;

    /// Replaces identity, grants, state and the limits of its lifetime; refuses a session that is
    /// not there. Usage only changes by [#recordUse], so that a stale copy cannot take it back.
    void update(Session session) throws StoreException;

    /// The session of a sandbox's name.
    ///
    /// @throws DamagedException for one that cannot be read
    Optional<Session> byName(String name) throws StoreException;

    /// The session of this id.
    ///
    /// @throws DamagedException for one that cannot be read
    Optional<Session> byId(SessionId id) throws StoreException;

    /// All that the store holds.
    ///
    /// @param sessions oldest first
    /// @param damaged what cannot be read; the others are not its fault
    record Contents(List<Session> sessions, List<DamagedRow> damaged) {
        public Contents {
            sessions = List.copyOf(sessions);
            damaged = List.copyOf(damaged);
        }
    }

    Contents contents() throws StoreException;

    void delete(DamagedRow row) throws StoreException;

    /// Succeeds when nothing is left, even if nothing was there.
    void delete(SessionId id) throws StoreException;

    /// Adds to the counters of sessions and marks them as used: of all of them or, when it fails,
    /// of none. With a [StoreAwayException] it may have been done all the same, because only the
    /// answer was lost: use that is brought again counts twice then, and never less than once.
    ///
    /// Those that are gone are left out. Of one that another gateway has taken over it only adds to
    /// the counters.
    void recordUse(Map<SessionId, Usage> added, Moment at) throws StoreException;

    /// Writes down how far the time of these sessions has come, so that it never goes back, and who
    /// those are that run and were verified; does nothing for those that are gone.
    void recordLook(List<Session> looked, Moment now) throws StoreException;

    /// Which sessions this gateway may serve.
    SessionLeases leases();

    /// What this gateway does not have.
    OtherSessions others();

    /// What gateways that share this store know together of other machines; empty when no other
    /// gateway has it.
    Optional<SharedRecords> fleet();

    /// The name of another session whose sandbox is in this network namespace.
    Optional<String> neighbour(SessionId id, long netNamespaceInode) throws StoreException;

    /// A session whose row cannot be read any more: nobody knows its rights, so it has none. It
    /// keeps its name until a person removes it.
    ///
    /// @param id as stored, which may be no session's id
    /// @param name as stored, which may be no sandbox's name
    record DamagedRow(String id, String name, String reason) {}

    /// There is a session of this name already. Nothing was changed.
    final class TakenException extends StoreException {
        private static final long serialVersionUID = 1L;

        private final String name;

        TakenException(String name) {
            super("There is already a sandbox named " + name + ". Choose another name.");
            this.name = name;
        }

        public String name() {
            return name;
        }
    }

    /// The row that was asked for cannot be read.
    final class DamagedException extends StoreException {
        private static final long serialVersionUID = 1L;

        private final transient SessionStore.DamagedRow row;

        DamagedException(SessionStore.DamagedRow row) {
            super(
                    "The record of the sandbox "
                            + row.name()
                            + " is damaged ("
                            + row.reason()
                            + ").");
            this.row = row;
        }

        public SessionStore.DamagedRow row() {
            return row;
        }
    }

    /// A session was written by a gateway that does not have it any more. Nothing was changed.
    final class StaleLeaseException extends StoreException {
        private static final long serialVersionUID = 1L;

        StaleLeaseException(String name) {
            super(
                    "The sandbox "
                            + name
                            + " is attached to another gateway now, so nothing was changed. Use it there.");
        }
    }
}
