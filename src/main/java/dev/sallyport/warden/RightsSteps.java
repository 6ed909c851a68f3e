package dev.sallyport.warden;

import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.session.PublishedPort;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.StoreException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// The ways in which a session's rights change while it is there. The caller holds the lock of the
/// sandbox's name.
record RightsSteps(SessionStore store, Doors doors, Ledger ledger) {
    private static final String POLICY = "session.policy";

    /// From the next connection on, more hosts. When it has all of them, nothing changes and there
    /// is nothing to record.
    Session reach(Session session, Egress egress) throws OperationException {
        List<EgressRule> more =
                egress.rules().stream()
                        .filter(rule -> !session.egress().rules().contains(rule))
                        .toList();
        if (more.isEmpty()) {
            return session;
        }
        Session widened = session.reaching(egress, more);
        ledger.record(
                "session.allow",
                widened,
                Map.of(
                        "policy", widened.policy().digest(),
                        "hosts",
                                more.stream()
                                        .map(RightsSteps::word)
                                        .collect(Collectors.joining(" "))));
        return changed(widened);
    }

    private static String word(EgressRule rule) {
        return rule.host() + ":" + rule.ports() + (rule.ask() ? " ask" : "");
    }

    /// From now on these ports of the host lead to it, while it runs.
    Session publish(Session session, List<PublishedPort> ports) throws OperationException {
        Session published = session.publishing(ports);
        for (PublishedPort port : ports) {
            if (!session.published().contains(port)) {
                ledger.record("session.publish", session, facts(port));
            }
        }
        try {
            doors.publish(published);
            return changed(published);
        } catch (OperationException e) {
            ledger.note("session.publish-failed", session, Map.of("reason", reason(e)));
            doors.change(session);
            throw e;
        }
    }

    private static String reason(OperationException e) {
        return e.problem().message();
    }

    /// These alone, at once.
    Session unpublish(Session session, List<PublishedPort> left) throws OperationException {
        Session fewer = session.publishing(left);
        doors.change(fewer);
        for (PublishedPort port : session.published()) {
            if (!left.contains(port)) {
                ledger.note("session.unpublish", session, facts(port));
            }
        }
        return changed(fewer);
    }

    static Map<String, String> facts(PublishedPort port) {
        return Map.of(
                "addresses", String.join(" ", port.addresses()),
                "host-port", Integer.toString(port.hostPort()),
                "inside-port", Integer.toString(port.insidePort()));
    }

    /// More than it has, as the store and then the gateway know it.
    ///
    /// @param detail of the record
    Session widen(Session widened, Map<String, String> detail) throws OperationException {
        ledger.record(POLICY, widened, detail);
        return changed(widened);
    }

    private Session changed(Session widened) throws OperationException {
        OperationException.doing(() -> store.update(widened));
        doors.change(widened);
        return widened;
    }

    /// Less than it has, at once: nothing holds that up. When the store cannot say so, the sandbox
    /// loses its doors, because whatever comes next would give it back what the store says.
    Session narrow(Session narrowed, Map<String, String> detail) throws OperationException {
        doors.change(narrowed);
        ledger.note(POLICY, narrowed, detail);
        try {
            store.update(narrowed);
        } catch (StoreException e) {
            doors.close(narrowed.id());
            throw OperationException.failed(e);
        }
        return narrowed;
    }
}
