package dev.sallyport.warden;

import dev.sallyport.control.FleetApi;
import dev.sallyport.control.HostApi;
import java.time.InstantSource;

/// Asks a gateway of another machine whether it answers, of which version it is, and what time it
/// is there. It knows us by then: to strangers it says nothing.
record GatewayLook(RemoteGateways gateways, InstantSource clock) {
    FleetApi.GatewayState at(String name) throws OperationException {
        long before = clock.millis();
        HostApi.Looked there = gateways.look(name);
        // Its clock was read somewhere between the two.
        long middle = before + (clock.millis() - before) / 2;
        return new FleetApi.GatewayState(name, there.version(), there.timeEpochMilli() - middle);
    }
}
