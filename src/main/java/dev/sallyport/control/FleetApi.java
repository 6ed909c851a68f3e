package dev.sallyport.control;

import java.util.List;
import java.util.Optional;

/// The bodies of the control API for sandboxes and gateways on different machines.
/// `docs/protocol/control-api.md` is written from this file.
public interface FleetApi {
    /// `GET /v1/fleet`: what other machines find here.
    ///
    /// @param listen address and port, while the port is open
    /// @param reachedAt `HOST:PORT` at which other machines find it then
    /// @param gateways where gateways with the same store can be reached, this one first
    /// @param wanted what a person wants to be open, also while it cannot be opened
    /// @param codes those that are open
    /// @param authority empty when nobody ever wanted a port
    record Fleet(
            Optional<String> listen,
            Optional<String> reachedAt,
            List<String> gateways,
            Optional<String> wanted,
            List<Host> hosts,
            List<OpenCode> codes,
            Optional<AuthorityState> authority) {}

    /// A machine that may have sandboxes with this gateway.
    ///
    /// @param sandboxes how many it has, at all gateways with the same store
    record Host(String name, String id, String enrolled, String lastSeen, int sandboxes) {}

    /// A code with which a machine can still enroll.
    ///
    /// @param id names the code and is no secret
    /// @param host what the machine will be called here
    record OpenCode(String id, String host, String expires) {}

    /// The newest certificate authority of this gateway.
    ///
    /// @param replaces whether the one before is still trusted
    record AuthorityState(String since, String until, boolean replaces) {}

    /// `POST /v1/fleet/listen`
    ///
    /// @param address `[ADDRESS]:PORT`
    /// @param reachedAt `HOST:PORT` at which other machines find it
    record Listen(String address, Optional<String> reachedAt) {}

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

    /// One of several gateways with the same store.
    ///
    /// @param id as in `gateway-id` of its Sallyport home
    /// @param address `HOST:PORT` at which other machines find it; absent for this one, and for one
    ///   that has no port for them
    /// @param here whether it is the one that was asked
    /// @param holds whether it has the sandbox; otherwise it had it last, and none has it now
    record GatewayView(String id, Optional<String> address, boolean here, boolean holds) {}

    /// `GET /v1/fleet/sandboxes`: those that this gateway does not have. Answered with [Elsewhere].
    ///
    /// @param after as `next` of the answer before; absent to begin
    record ListElsewhere(Optional<String> after) {}

    /// Answer to [ListElsewhere]: up to 1,000 of them, fewer when they have long lists of rights.
    ///
    /// @param next what to ask with for more; absent when there are none
    record Elsewhere(List<Api.SandboxView> sandboxes, Optional<String> next) {}

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

    /// `GET /v1/gateways/{name}`: what such a gateway answers.
    ///
    /// @param version of Sallyport there
    /// @param aheadMillis how far its clock is ahead of the one here; less than 0 when it is behind
    record GatewayState(String name, String version, long aheadMillis) {}
}
