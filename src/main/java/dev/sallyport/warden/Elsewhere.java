package dev.sallyport.warden;

import dev.sallyport.control.Api;
import dev.sallyport.control.FleetApi;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.OtherSessions;
import dev.sallyport.session.SessionLeases;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.StoreException;
import java.util.Optional;

/// Sandboxes whose session is in the store and not with this gateway. A person sees them, and is
/// sent to the gateway that has them; nothing is done to them from here.
record Elsewhere(OtherSessions others, SessionLeases leases) {
    private static final String LISTED = "sallyport list shows which.";

    /// Which gateway has a session of this one; empty when there are no others.
    Optional<FleetApi.GatewayView> here(SessionId id) {
        return others.here()
                .map(
                        own ->
                                new FleetApi.GatewayView(
                                        own, Optional.empty(), true, leases.holds(id)));
    }

    FleetApi.Elsewhere list(FleetApi.ListElsewhere asked) throws OperationException {
        OtherSessions.Page page =
                OperationException.asking(() -> others.after(asked.after().orElse("")));
        return new FleetApi.Elsewhere(page.found().stream().map(this::view).toList(), page.next());
    }

    Api.SandboxView show(String name) throws OperationException {
        Optional<OtherSessions.Found> found;
        try {
            found = others.find(SandboxNames.parseAny(name));
        } catch (SessionStore.DamagedException e) {
            throw absent(name);
        } catch (StoreException e) {
            throw OperationException.failed(e);
        }
        return view(found.orElseThrow(() -> unknown(name)));
    }

    private Api.SandboxView view(OtherSessions.Found found) {
        return SessionViews.elsewhere(found.session(), view(found.place()));
    }

    private FleetApi.GatewayView view(OtherSessions.Place place) {
        return new FleetApi.GatewayView(
                place.gateway(), place.address(), isHere(place), place.held());
    }

    private boolean isHere(OtherSessions.Place place) {
        return others.here().equals(Optional.of(place.gateway()));
    }

    /// What whoever asked for a sandbox is told that this gateway does not have.
    OperationException absent(String name) {
        try {
            return others.place(name).map(this::elsewhere).orElseGet(() -> unknown(name));
        } catch (StoreException e) {
            return OperationException.failed(e);
        }
    }

    /// Names are unique in the whole store.
    void requireFree(String name) throws OperationException {
        if (OperationException.asking(() -> others.place(name)).isPresent()) {
            throw taken(name);
        }
    }

    /// A name that this gateway has is refused before the store is asked.
    static OperationException taken(String name) {
        return OperationException.conflict(
                "There is already a sandbox named " + name + ", and not at this gateway.",
                "Use another name; " + LISTED);
    }

    private OperationException elsewhere(OtherSessions.Place place) {
        String gateway =
                place.address()
                        .orElse("the one with " + place.gateway() + " in its file gateway-id");
        if (place.held() && isHere(place)) {
            return new OperationException(
                    OperationException.Fault.ELSEWHERE,
                    "A gateway with the id of this one has this sandbox, and this one does not serve it: it takes it or gives it up just now, or a copy of its home is in use.",
                    "Try again in a few seconds; if that does not help, stop the other daemon with "
                            + place.gateway()
                            + " in its file gateway-id.");
        }
        if (place.held()) {
            return new OperationException(
                    OperationException.Fault.ELSEWHERE,
                    "Another gateway has this sandbox: " + gateway + ".",
                    "Run this command there.");
        }
        return new OperationException(
                OperationException.Fault.ELSEWHERE,
                "No gateway has this sandbox at the moment. The last one was "
                        + (isHere(place) ? "this one" : gateway)
                        + ".",
                "Wait until a gateway takes it, or start that one again; " + LISTED);
    }

    private static OperationException unknown(String name) {
        return OperationException.notFound(
                "There is no sandbox named " + name + ".", "List them with: sallyport list");
    }
}
