package dev.sallyport.warden;

import static dev.sallyport.warden.Operations.doing;
import static dev.sallyport.warden.Operations.named;
import static dev.sallyport.warden.Operations.row;
import static io.netty.handler.codec.http.HttpMethod.DELETE;
import static io.netty.handler.codec.http.HttpMethod.GET;
import static io.netty.handler.codec.http.HttpMethod.POST;

import dev.sallyport.control.FleetApi;
import dev.sallyport.control.HostApi;
import dev.sallyport.session.Session;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The rows of the control API for sandboxes and gateways on different machines.
record FleetOperations(Fleet fleet, RemoteGateways gateways, Sandboxes sandboxes) {
    List<Operation> table() {
        return List.of(
                row(GET, "/v1/fleet", _ -> fleet.view()),
                row(POST, "/v1/fleet/listen", call -> fleet.listen(call.as(FleetApi.Listen.class))),
                row(DELETE, "/v1/fleet/listen", _ -> fleet.close()),
                row(POST, "/v1/fleet/codes", call -> fleet.invite(call.as(FleetApi.NewCode.class))),
                doing(DELETE, "/v1/fleet/codes/{name}", call -> fleet.withdraw(call.name())),
                doing(DELETE, "/v1/fleet/hosts/{name}", call -> fleet.remove(call.name())),
                row(POST, "/v1/fleet/rotate", _ -> fleet.rotate()),
                row(GET, "/v1/fleet/authority", _ -> fleet.authority()),
                row(
                        GET,
                        "/v1/fleet/sandboxes",
                        call -> sandboxes.elsewhere().list(call.as(FleetApi.ListElsewhere.class))),
                row(
                        GET,
                        "/v1/fleet/sandboxes/{name}",
                        call -> sandboxes.elsewhere().show(call.name())),
                row(GET, "/v1/gateways", _ -> new FleetApi.Gateways(gateways.list(count()))),
                row(POST, "/v1/gateways", call -> gateways.enrol(call.as(FleetApi.Enrol.class))),
                row(GET, "/v1/gateways/{name}", this::look),
                row(GET, "/v1/gateways/{name}/login", named(HostApi.Logins.class, gateways::login)),
                doing(DELETE, "/v1/gateways/{name}", this::removeGateway));
    }

    private Object look(Operation.Call call) throws OperationException {
        return new GatewayLook(gateways, InstantSource.system()).at(call.name());
    }

    /// What uses it would lose its network for good.
    private void removeGateway(Operation.Call call) throws OperationException {
        Optional<Session> user =
                sandboxes.list().stream()
                        .filter(Session::isCarried)
                        .filter(s -> s.asked().machine().equals(Optional.of(call.name())))
                        .findFirst();
        if (user.isPresent()) {
            throw OperationException.conflict(
                    "The sandbox " + user.get().name() + " uses this gateway.",
                    "Destroy it first: sallyport destroy " + user.get().name());
        }
        gateways.remove(call.name());
    }

    private Map<String, Long> count() throws OperationException {
        return sandboxes.list().stream()
                .filter(Session::isCarried)
                .flatMap(session -> session.asked().machine().stream())
                .collect(Collectors.groupingBy(name -> name, Collectors.counting()));
    }

    /// Asks a gateway of another machine whether it answers, of which version it is, and what time
    /// it is there. It knows us by then: to strangers it says nothing.
    record GatewayLook(RemoteGateways gateways, InstantSource clock) {
        FleetApi.GatewayState at(String name) throws OperationException {
            long before = clock.millis();
            HostApi.Looked there = gateways.look(name);
            // Its clock was read somewhere between the two.
            long middle = before + (clock.millis() - before) / 2;
            return new FleetApi.GatewayState(
                    name, there.version(), there.timeEpochMilli() - middle);
        }
    }
}
