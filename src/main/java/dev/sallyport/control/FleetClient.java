package dev.sallyport.control;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What the warden is asked about other machines.
public final class FleetClient {
    private static final String LISTEN = "/v1/fleet/listen";
    private static final String SANDBOXES = "/v1/fleet/sandboxes";
    private static final String GATEWAYS = "/v1/gateways";

    private final ControlClient warden;

    FleetClient(ControlClient warden) {
        this.warden = warden;
    }

    public FleetApi.Fleet view() throws ControlException {
        return warden.ask("GET", "/v1/fleet", null, FleetApi.Fleet.class);
    }

    public FleetApi.Fleet listen(FleetApi.Listen body) throws ControlException {
        return warden.ask("POST", LISTEN, body, FleetApi.Fleet.class);
    }

    public FleetApi.Fleet close() throws ControlException {
        return warden.ask("DELETE", LISTEN, null, FleetApi.Fleet.class);
    }

    public FleetApi.Code code(FleetApi.NewCode body) throws ControlException {
        return warden.ask("POST", "/v1/fleet/codes", body, FleetApi.Code.class);
    }

    public void removeCode(String id) throws ControlException {
        warden.ask("DELETE", ControlClient.path("/v1/fleet/codes", id), null, Api.Done.class);
    }

    public void removeHost(String name) throws ControlException {
        warden.ask("DELETE", ControlClient.path("/v1/fleet/hosts", name), null, Api.Done.class);
    }

    public FleetApi.Rotated rotate() throws ControlException {
        return warden.ask("POST", "/v1/fleet/rotate", null, FleetApi.Rotated.class);
    }

    public FleetApi.Authority authority() throws ControlException {
        return warden.ask("GET", "/v1/fleet/authority", null, FleetApi.Authority.class);
    }

    /// All that other gateways with the same store have, and what none has at the moment.
    public List<Api.SandboxView> elsewhere() throws ControlException {
        List<Api.SandboxView> all = new ArrayList<>();
        Optional<String> after = Optional.empty();
        do {
            FleetApi.Elsewhere page =
                    warden.ask(
                            "GET",
                            SANDBOXES,
                            new FleetApi.ListElsewhere(after),
                            FleetApi.Elsewhere.class);
            all.addAll(page.sandboxes());
            after = page.next();
        } while (after.isPresent());
        return all;
    }

    /// One of those.
    public Api.SandboxView elsewhere(String name) throws ControlException {
        return warden.ask("GET", ControlClient.path(SANDBOXES, name), null, Api.SandboxView.class);
    }

    public FleetApi.Gateways gateways() throws ControlException {
        return warden.ask("GET", GATEWAYS, null, FleetApi.Gateways.class);
    }

    public FleetApi.GatewayState look(String name) throws ControlException {
        return warden.ask(
                "GET", ControlClient.path(GATEWAYS, name), null, FleetApi.GatewayState.class);
    }

    public HostApi.Chosen login(String gateway, HostApi.Logins body) throws ControlException {
        return warden.ask(
                "GET",
                ControlClient.path(GATEWAYS, gateway) + "/login",
                body,
                HostApi.Chosen.class);
    }

    public FleetApi.Gateway enrol(FleetApi.Enrol body) throws ControlException {
        return warden.ask("POST", GATEWAYS, body, FleetApi.Gateway.class);
    }

    public void removeGateway(String name) throws ControlException {
        warden.ask("DELETE", ControlClient.path(GATEWAYS, name), null, Api.Done.class);
    }
}
