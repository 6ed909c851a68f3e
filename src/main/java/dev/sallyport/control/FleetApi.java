package dev.sallyport.control;

import java.util.List;
import java.util.Optional;

/// The bodies of the control API for sandboxes and gateways on different machines.
/// `docs/protocol/control-api.md` is written from this file.
public interface FleetApi {
    /// `GET /v1/fleet`: what other machines find here.
    ///
    /// @param listen address and port, while the port is open
    record Fleet(Optional<String> listen, List<Host> hosts) {}

    /// A machine that may have sandboxes with this gateway.
    ///
    /// @param sandboxes how many it has
    record Host(String name, String id, String enrolled, String lastSeen, int sandboxes) {}

    /// `POST /v1/fleet/listen`
    ///
    /// @param address `[ADDRESS]:PORT`
    record Listen(String address) {}

    /// `POST /v1/fleet/codes`. Answered with [Code].
    ///
    /// @param host what the other machine is to be called here
    /// @param address `HOST:PORT` at which it finds this one
    /// @param valid such as `10m`
    record NewCode(String host, String address, Optional<String> valid) {}

    /// Answer to [NewCode].
    ///
    /// @param code good once
    record Code(String code, String expires) {}

    /// `POST /v1/fleet/rotate`: there is a new authority beside the present one.
    ///
    /// @param until how long the old one is used
    record Rotated(String until) {}

    /// `GET /v1/fleet/authority`: what those who come here have to pin.
    ///
    /// @param certificates in PEM, the newest last; a second one while it is being replaced
    record Authority(List<String> certificates) {}

    /// `POST /v1/gateways`. Answered with [Gateway].
    ///
    /// @param name what the gateway is to be called here
    record Enrol(String code, Optional<String> name) {}

    /// `GET /v1/gateways`
    record Gateways(List<Gateway> gateways) {}

    /// A gateway on another machine.
    ///
    /// @param host what this machine is called there
    record Gateway(String name, String address, String host, int sandboxes) {}
}
