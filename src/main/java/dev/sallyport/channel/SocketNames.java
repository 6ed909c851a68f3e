package dev.sallyport.channel;

import io.netty.channel.unix.DomainSocketAddress;
import java.nio.file.Path;

/// The two sockets of a channel directory.
final class SocketNames {
    static final String MESSAGES = "messages.sock";
    static final String DESCRIPTORS = "descriptors.sock";

    private SocketNames() {}

    static DomainSocketAddress address(Path directory, String name) {
        return new DomainSocketAddress(directory.resolve(name).toString());
    }
}
