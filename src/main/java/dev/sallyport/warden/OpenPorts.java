package dev.sallyport.warden;

import dev.sallyport.channel.Message;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.channels.NotYetConnectedException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The sockets that a sandbox has besides its doors: for listed ports of hosts inside, and for
/// published ports outside.
///
/// @param troubles why others are missing, each a sentence for people
record OpenPorts(
        Map<Message.Outward, FileDescriptor> outward,
        Map<Message.Inward, FileDescriptor> inward,
        List<String> troubles) {
    private static final System.Logger LOG = System.getLogger(OpenPorts.class.getName());

    static final OpenPorts NONE = new OpenPorts(Map.of(), Map.of(), List.of());

    OpenPorts {
        outward = new LinkedHashMap<>(outward);
        inward = new LinkedHashMap<>(inward);
        troubles = List.copyOf(troubles);
    }

    boolean isEmpty() {
        return outward.isEmpty() && inward.isEmpty();
    }

    boolean hasSameSockets(OpenPorts other) {
        return outward.keySet().equals(other.outward.keySet())
                && inward.keySet().equals(other.inward.keySet());
    }

    Message.Ports message(String session) {
        return new Message.Ports(
                session, 0, List.copyOf(outward.keySet()), List.copyOf(inward.keySet()));
    }

    /// In the order of the message.
    List<FileDescriptor> descriptors() {
        List<FileDescriptor> all = new ArrayList<>(outward.values());
        all.addAll(inward.values());
        return all;
    }

    /// Those that the other one does not have.
    List<FileDescriptor> without(OpenPorts kept) {
        List<FileDescriptor> gone = new ArrayList<>(descriptors());
        gone.removeAll(kept.descriptors());
        return gone;
    }

    /// Nobody is let in by these any more. The gateway has the same sockets, and closing our copies
    /// would leave it what it has; it cannot listen again (ADR 11).
    static List<FileDescriptor> ended(List<FileDescriptor> listeners) {
        for (FileDescriptor listener : listeners) {
            try {
                new Socket(listener.intValue()).shutdown();
            } catch (IOException | NotYetConnectedException e) {
                LOG.log(System.Logger.Level.WARNING, "ending a listener", e);
            }
        }
        return listeners;
    }

    void close() {
        descriptors().forEach(OpenPorts::close);
    }

    static void close(FileDescriptor descriptor) {
        try {
            descriptor.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "closing a socket", e);
        }
    }
}
