package dev.sallyport.channel;

import io.netty.channel.unix.DomainSocketAddress;
import java.nio.file.Path;

/// The sockets of a channel directory. Short, because a socket's path has at most 107 bytes and the
/// control socket's may use all of them.
final class SocketNames {
    static final String MESSAGES = "m.sock";
    static final String DESCRIPTORS = "d.sock";
    static final String RECORDS = "r.sock";

    static DomainSocketAddress address(Path directory, String name) {
        return new DomainSocketAddress(directory.resolve(name).toString());
    }
}
