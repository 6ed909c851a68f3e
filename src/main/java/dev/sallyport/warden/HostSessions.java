package dev.sallyport.warden;

import dev.sallyport.control.HostApi;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.util.Optional;

/// Sessions of hosts, as the desk deals with them.
///
/// @param whenHostsChange tells the gateway process which there are
record HostSessions(
        Sandboxes all,
        GatewayLink gateway,
        Opening plans,
        StoredLogins logins,
        Neighbours others,
        Runnable whenHostsChange)
        implements FleetDesk.Sessions {
    /// How a session of a host is made.
    interface Opening {
        /// Makes it.
        ///
        /// @param made told of the session before it is there
        Session open(String host, HostApi.Open request, FleetDesk.Made made)
                throws OperationException;
    }

    @Override
    public String gateways() throws IOException {
        return others.signedAddresses();
    }

    @Override
    public Session open(String host, HostApi.Open request, FleetDesk.Made made)
            throws OperationException {
        return plans.open(host, request, made);
    }

    @Override
    public HostApi.Chosen choose(String host, HostApi.Logins asked) throws OperationException {
        return logins.choose(host, asked);
    }

    /// What was lost to another gateway meanwhile is not gone.
    @Override
    public void under(Session session, FleetDesk.Made step) throws OperationException {
        try {
            all.change(
                    session.name(),
                    now -> {
                        if (!now.id().equals(session.id())) {
                            throw FleetDesk.unknown();
                        }
                        if (!gateway.holds(now.id())) {
                            throw others.elsewhere(now.id());
                        }
                        step.with(now);
                        return now;
                    });
        } catch (OperationException e) {
            boolean gone =
                    e.status() == OperationException.Fault.NOT_FOUND.status()
                            || e.status() == OperationException.Fault.ELSEWHERE.status();
            throw gone && !gateway.holds(session.id()) ? others.elsewhere(session.id()) : e;
        }
    }

    @Override
    public Session find(SessionId id) throws OperationException {
        Optional<Session> here = all.find(id);
        return here.isPresent() ? here.get() : others.take(id);
    }

    /// One that was taken for gone is back when it has a certificate again.
    @Override
    public void changed(SessionId id) {
        gateway.tellAgain(id);
        all.check(id);
    }

    @Override
    public void hostsChanged() {
        whenHostsChange.run();
    }

    @Override
    public void end(Session session) throws OperationException {
        all.destroy(session.id());
    }
}
