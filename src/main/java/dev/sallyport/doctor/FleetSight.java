package dev.sallyport.doctor;

import dev.sallyport.config.Home;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.FleetApi;
import dev.sallyport.control.FleetClient;
import dev.sallyport.warden.WantedPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What a running warden says about other machines, asked once. None is started.
///
/// @param fleet what other machines find here; empty when nobody can say
/// @param gateways those elsewhere that this machine is enrolled with, asked by the warden
/// @param unserved the port that a person wants, while no warden runs to open it
record FleetSight(
        Optional<FleetApi.Fleet> fleet, List<Gateway> gateways, Optional<String> unserved) {

    /// A gateway on another machine, and what came back from there: one of the two.
    record Gateway(
            FleetApi.Gateway known,
            Optional<FleetApi.GatewayState> state,
            Optional<Api.Problem> trouble) {}

    static FleetSight ask(Home home) {
        try (ControlClient client = ControlClient.connect(home)) {
            return new FleetSight(
                    Optional.of(client.fleet().view()), gateways(client.fleet()), Optional.empty());
        } catch (ControlException e) {
            // What else can be wrong with the warden others say.
            Optional<String> unserved = e.isNotRunning() ? WantedPort.of(home) : Optional.empty();
            return new FleetSight(Optional.empty(), List.of(), unserved);
        }
    }

    private static List<Gateway> gateways(FleetClient client) throws ControlException {
        List<Gateway> seen = new ArrayList<>();
        for (FleetApi.Gateway known : client.gateways().gateways()) {
            seen.add(look(client, known));
        }
        return seen;
    }

    private static Gateway look(FleetClient client, FleetApi.Gateway known) {
        try {
            return new Gateway(known, Optional.of(client.look(known.name())), Optional.empty());
        } catch (ControlException e) {
            return new Gateway(known, Optional.empty(), Optional.of(e.problem()));
        }
    }
}
