package dev.sallyport.warden;

import dev.sallyport.channel.ChannelServer;
import dev.sallyport.channel.Message;
import io.netty.channel.unix.FileDescriptor;
import java.util.List;

/// The port at which sandboxes of other machines come in, open since a person wanted it. The
/// gateway serves it; the descriptor stays here for the next one.
final class PublicPort {
    /// What the port goes by at the moment.
    interface Terms {
        /// All of it.
        ///
        /// @param descriptors how many travel with it
        Message.PublicPort message(int descriptors);
    }

    private final String address;
    private final FileDescriptor descriptor;
    private final Terms terms;

    PublicPort(String address, FileDescriptor descriptor, Terms terms) {
        this.address = address;
        this.descriptor = descriptor;
        this.terms = terms;
    }

    String address() {
        return address;
    }

    List<FileDescriptor> descriptors() {
        return List.of(descriptor);
    }

    /// A port that cannot be served must not keep the gateway from everything else.
    void open(ChannelServer gateway) {
        try {
            gateway.sendWith(terms.message(1), descriptors());
        } catch (RuntimeException e) {
            System.getLogger(PublicPort.class.getName())
                    .log(System.Logger.Level.ERROR, "other machines cannot come in", e);
        }
    }

    /// The certificate, the authorities or the hosts are others now.
    void change(ChannelServer gateway) {
        gateway.sendWith(terms.message(0), List.of());
    }
}
