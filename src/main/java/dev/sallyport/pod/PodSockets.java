package dev.sallyport.pod;

import dev.sallyport.channel.ListenerKind;
import dev.sallyport.channel.Message;
import dev.sallyport.config.GitSettings;
import dev.sallyport.policy.Policy;
import dev.sallyport.porter.Listener;
import dev.sallyport.porter.Opening;
import dev.sallyport.porter.Porter;
import dev.sallyport.session.OutwardPorts;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// The sockets on the pod's loopback, as a sidecar takes them over from a warden.
///
/// @param doors those that every sandbox has
/// @param ports those of hosts with other ports
record PodSockets(List<Listener> doors, List<Listener> ports) {
    static PodSockets open(Policy policy) throws IOException {
        List<Listener> doors = Porter.openHere(Opening.doors());
        List<Opening> places =
                OutwardPorts.of(policy).stream()
                        .<Opening>map(place -> new Opening.Port(place.address(), place.port()))
                        .toList();
        return new PodSockets(doors, Porter.openHere(places));
    }

    private static List<FileDescriptor> descriptors(List<Listener> listeners) {
        return listeners.stream().map(Listener::descriptor).toList();
    }

    List<FileDescriptor> doorDescriptors() {
        return descriptors(doors);
    }

    List<FileDescriptor> portDescriptors() {
        return descriptors(ports);
    }

    /// A sidecar is told no right: it decides nothing.
    Message.Attach attach(String session) {
        List<ListenerKind> kinds =
                doors.stream()
                        .map(Listener::opening)
                        .filter(Opening.Door.class::isInstance)
                        .map(door -> ((Opening.Door) door).kind())
                        .toList();
        return new Message.Attach(
                session,
                "pod",
                new Message.Rights(List.of(), List.of(), false, GitSettings.STANDARD),
                List.of(),
                List.of(),
                Optional.empty(),
                new Message.Spent(0, 0, 0),
                0,
                kinds,
                List.of());
    }

    Message.Ports ports(String session) {
        List<Message.Outward> outward =
                ports.stream()
                        .map(Listener::opening)
                        .filter(Opening.Port.class::isInstance)
                        .map(Opening.Port.class::cast)
                        .map(port -> new Message.Outward(port.address(), port.port()))
                        .toList();
        return new Message.Ports(session, 0, outward, List.of());
    }
}
