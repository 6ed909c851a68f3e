package dev.sallyport.gateway;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
import dev.sallyport.session.NameTable;
import io.netty.channel.Channel;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;

/// Which host a sandbox meant by the address that it connected to.
final class MeantHost {
    private MeantHost() {}

    static Optional<HostName> of(Channel channel, NameTable names, Policy policy) {
        return address(channel) instanceof Inet4Address address
                ? names.nameOf(ByteBuffer.wrap(address.getAddress()).getInt(), policy)
                : Optional.empty();
    }

    static InetAddress address(Channel channel) {
        return ((InetSocketAddress) channel.localAddress()).getAddress();
    }
}
