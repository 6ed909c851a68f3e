package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.session.Session;
import dev.sallyport.session.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/// What is looked after every minute: sessions whose time is over, and changes that no event told
/// of. It looks instead of sleeping until the moment, so that a suspended machine or a changed
/// clock delays an end by a minute at most.
///
/// However many there are, it is one read and one write; only what has changed costs more.
///
/// @param told what those inside know about the end of their session
record Upkeep(Sandboxes sandboxes, UsageBuffer usage, Map<SessionId, List<String>> told) {
    private static final System.Logger LOG = System.getLogger(Upkeep.class.getName());

    Upkeep(Sandboxes sandboxes, UsageBuffer usage) {
        this(sandboxes, usage, new ConcurrentHashMap<>());
    }

    void run() {
        flush();
        try {
            lookAtAll(sandboxes.list());
        } catch (OperationException | RuntimeException | OutOfMemoryError e) {
            // Whatever is thrown out of here would be the end of all looking.
            LOG.log(System.Logger.Level.ERROR, "expired sessions may still run", e);
        }
    }

    private void flush() {
        try {
            usage.flush();
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.log(System.Logger.Level.ERROR, "usage is not written", e);
        }
    }

    private void lookAtAll(List<Session> all) throws OperationException {
        Map<Long, Long> crowds =
                all.stream()
                        .flatMap(session -> session.identity().stream())
                        .collect(
                                Collectors.groupingBy(
                                        Identity::netNamespaceInode, Collectors.counting()));
        told.keySet().retainAll(all.stream().map(Session::id).collect(Collectors.toSet()));
        List<Session> looked = new ArrayList<>();
        for (Session session : all) {
            boolean alone =
                    session.identity()
                            .filter(known -> crowds.getOrDefault(known.netNamespaceInode(), 1L) > 1)
                            .isEmpty();
            looked.add(look(session, alone));
        }
        sandboxes.checks().record(looked);
        sandboxes.homeWatch().pass(looked);
    }

    /// One that fails does not keep the others from ending.
    ///
    /// @param alone whether no other session is in its namespace
    private Session look(Session session, boolean alone) {
        try {
            Usage used = session.usage().plus(usage.waiting(session.id()));
            if (sandboxes.over(session, used).isPresent()) {
                sandboxes.expire(session.id(), used);
                return session;
            }
            tell(session, used);
            Optional<Session> same = sandboxes.checks().unchanged(session, alone);
            if (same.isEmpty()) {
                sandboxes.check(session.id());
            }
            return same.orElse(session);
        } catch (OperationException | RuntimeException | OutOfMemoryError e) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "may be expired and still run: " + session.name(),
                    e);
            return session;
        }
    }

    private void tell(Session session, Usage used) throws OperationException {
        List<String> notices = Notices.of(session, used, sandboxes.checks().now());
        if (!notices.equals(told.getOrDefault(session.id(), List.of()))) {
            told.put(session.id(), notices);
            sandboxes.tell(session.id());
        }
    }
}
