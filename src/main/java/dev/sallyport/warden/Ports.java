package dev.sallyport.warden;

import dev.sallyport.channel.Message;
import dev.sallyport.porter.Listener;
import dev.sallyport.porter.Opening;
import dev.sallyport.porter.Porter;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.session.OutwardPorts;
import dev.sallyport.session.PublishedPort;
import dev.sallyport.session.Session;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Opens what a session's rights and published ports ask for and is not open yet. The caller holds
/// the lock of the sandbox's name.
record Ports(Porter porter) {
    /// How many a gateway gets at once.
    static final int SOCKETS_COUNT = 64;

    /// What a sandbox has when nothing of it runs yet: all of them, or an error.
    OpenPorts openAll(Session session) throws IOException, OperationException {
        Map<Message.Inward, FileDescriptor> inward = new LinkedHashMap<>();
        try {
            for (PublishedPort port : session.published()) {
                inward.putAll(HostPort.open(port));
            }
            return new OpenPorts(outward(session, wanted(session)), inward, shadowed(session));
        } catch (IOException | OperationException | RuntimeException e) {
            inward.values().forEach(OpenPorts::close);
            throw e;
        }
    }

    /// What it has from now on; what cannot be opened is told of. A program of the sandbox may have
    /// taken a port of a host that was added later, and another one of the host a published port.
    OpenPorts settle(Session session, OpenPorts present) {
        List<String> troubles = new ArrayList<>(shadowed(session));
        Map<Message.Outward, FileDescriptor> outward = new LinkedHashMap<>();
        List<Message.Outward> missing = new ArrayList<>();
        for (Message.Outward place : wanted(session)) {
            FileDescriptor known = present.outward().get(place);
            if (known == null) {
                missing.add(place);
            } else {
                outward.put(place, known);
            }
        }
        outward.putAll(settleOutward(session, missing, troubles));
        return new OpenPorts(outward, settleInward(session, present, troubles), troubles);
    }

    /// What it has with ports that were published just now: all of them, or an error. What they
    /// must not lead to is gone with the same message.
    OpenPorts publish(Session session, OpenPorts present) throws OperationException {
        Map<Message.Inward, FileDescriptor> more = new LinkedHashMap<>();
        try {
            for (PublishedPort port : session.published()) {
                if (present.inward().keySet().stream().noneMatch(known -> isOf(port, known))) {
                    more.putAll(HostPort.open(port));
                }
            }
        } catch (OperationException e) {
            more.values().forEach(OpenPorts::close);
            throw e;
        }
        Map<Message.Inward, FileDescriptor> inward = new LinkedHashMap<>(present.inward());
        inward.putAll(more);
        Map<Message.Outward, FileDescriptor> outward = new LinkedHashMap<>(present.outward());
        outward.keySet().removeIf(place -> isPublished(session, place.address(), place.port()));
        Set<String> troubles = new LinkedHashSet<>(present.troubles());
        troubles.addAll(shadowed(session));
        return new OpenPorts(outward, inward, List.copyOf(troubles));
    }

    private static Map<Message.Inward, FileDescriptor> settleInward(
            Session session, OpenPorts present, List<String> troubles) {
        Map<Message.Inward, FileDescriptor> inward = new LinkedHashMap<>();
        for (PublishedPort port : session.published()) {
            Map<Message.Inward, FileDescriptor> known = new LinkedHashMap<>(present.inward());
            known.keySet().removeIf(socket -> !isOf(port, socket));
            try {
                inward.putAll(known.isEmpty() ? HostPort.open(port) : known);
            } catch (OperationException e) {
                troubles.add("port " + port + " is not published: " + e.getMessage());
            }
        }
        return inward;
    }

    /// Of those that were there before, the ones that a published port stands for.
    static boolean isOf(PublishedPort port, Message.Inward socket) {
        return port.hostPort() == socket.hostPort()
                && port.insidePort() == socket.insidePort()
                && port.addresses().contains(socket.address());
    }

    private Map<Message.Outward, FileDescriptor> settleOutward(
            Session session, List<Message.Outward> missing, List<String> troubles) {
        try {
            return outward(session, missing);
        } catch (IOException e) {
            Map<Message.Outward, FileDescriptor> opened = new LinkedHashMap<>();
            for (Message.Outward place : missing) {
                try {
                    opened.putAll(outward(session, List.of(place)));
                } catch (IOException _) {
                    troubles.add(
                            "port %s is in use inside, so hosts on it are reached through the proxy only"
                                    .formatted(place.port()));
                }
            }
            return opened;
        }
    }

    private Map<Message.Outward, FileDescriptor> outward(
            Session session, List<Message.Outward> places) throws IOException {
        Map<Message.Outward, FileDescriptor> opened = new LinkedHashMap<>();
        List<Opening> openings =
                places.stream()
                        .<Opening>map(place -> new Opening.Port(place.address(), place.port()))
                        .toList();
        for (Listener listener : open(session, openings)) {
            if (listener.opening() instanceof Opening.Port(String address, int port)) {
                opened.put(new Message.Outward(address, port), listener.descriptor());
            }
        }
        return opened;
    }

    /// Sockets that are connected later, to published ports.
    List<FileDescriptor> sockets(Session session) throws IOException {
        return open(session, Collections.nCopies(SOCKETS_COUNT, new Opening.Unconnected())).stream()
                .map(Listener::descriptor)
                .toList();
    }

    List<Listener> open(Session session, List<Opening> openings) throws IOException {
        Identity identity = session.identity().orElseThrow();
        boolean elsewhere = session.spec().runtime() == RuntimeKind.REMOTE;
        return openings.isEmpty() || elsewhere
                ? List.of()
                : porter.open(identity.pid(), identity.netNamespaceInode(), openings);
    }

    /// Whether a published port would lead to this socket instead of the server inside. Whoever
    /// connects to the host would then speak to the gateway, with the sandbox's rights; and where
    /// that one is on another machine, which also says what the rules are, with that machine.
    private static boolean isPublished(Session session, String address, int port) {
        return address.equals(OutwardPorts.ALL)
                && session.published().stream().anyMatch(known -> known.insidePort() == port);
    }

    /// What is left out for that.
    private static List<String> shadowed(Session session) {
        return OutwardPorts.of(session.policy()).stream()
                .filter(place -> isPublished(session, place.address(), place.port()))
                .map(
                        place ->
                                "port %s is published, so hosts on it are reached through the proxy only"
                                        .formatted(place.port()))
                .toList();
    }

    private static List<Message.Outward> wanted(Session session) {
        return OutwardPorts.of(session.policy()).stream()
                .filter(place -> !isPublished(session, place.address(), place.port()))
                .map(place -> new Message.Outward(place.address(), place.port()))
                .toList();
    }
}
