package dev.sallyport.warden;

import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
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

    /// From the next connection on, more hosts.
    Session reach(Session session, Egress egress) throws OperationException {
        List<EgressRule> more =
                egress.rules().stream().skip(session.egress().rules().size()).toList();
        Session widened = session.reaching(egress, more);
        ledger.record(
                "session.allow",
                widened,
                Map.of(
                        "policy", widened.policy().digest(),
                        "hosts",
                                more.stream()
                                        .map(rule -> rule.host() + ":" + rule.ports())
                                        .collect(Collectors.joining(" "))));
        return changed(widened);
    }

    /// More than it has, as the store and then the gateway know it.
    ///
    /// @param detail of the record
    Session widen(Session widened, Map<String, String> detail) throws OperationException {
        ledger.record(POLICY, widened, detail);
        return changed(widened);
    }

    private Session changed(Session widened) throws OperationException {
        try {
            store.update(widened);
        } catch (StoreException e) {
            throw OperationException.failed(e);
        }
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
