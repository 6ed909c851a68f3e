package dev.sallyport.proof;

import dev.sallyport.porter.SidecarProcess;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.session.OutwardPorts;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The sandbox that is proven, as the store describes it.
///
/// @param session id of its session
/// @param gitHosts hosts whose URLs lead to the gateway
/// @param names names that its policy spells out
/// @param ports where the gateway listens inside besides its doors
/// @param learn whether it may resolve every name
/// @param sidecar what carries its connections, when its gateway is on another machine; its process
///   id is 0 when none runs
/// @param home Sallyport's own directory, which must be out of sight
public record Subject(
        String session,
        Identity identity,
        Path workspace,
        Set<String> gitHosts,
        List<String> names,
        List<OutwardPorts.Place> ports,
        boolean learn,
        Optional<SidecarProcess> sidecar,
        Path home) {
    public Subject {
        gitHosts = Set.copyOf(gitHosts);
        names = List.copyOf(names);
        ports = List.copyOf(ports);
    }
}
