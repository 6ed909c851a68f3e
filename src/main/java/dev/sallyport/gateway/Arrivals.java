package dev.sallyport.gateway;

import io.github.bucket4j.Bucket;
import io.netty.channel.Channel;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;

/// Who may come to the public port, and how fast. A stranger is whoever has shown no certificate of
/// a session, and nothing that a host has signed: there are few of them at once, few of one
/// address, and the oldest makes room for the next, so that nobody can keep the door busy.
/// Addresses from which somebody good came lately do not share the rate of all others. From any
/// thread.
final class Arrivals {
    static final int STRANGERS_MAX = 512;
    static final int STRANGERS_PER_ADDRESS_MAX = 64;

    /// A host with many sandboxes connects them all at once after a break.
    static final int BURST_PER_ADDRESS = 512;

    static final int PER_SECOND_PER_ADDRESS = 64;
    static final int BURST = 1_024;
    static final int PER_SECOND = 256;

    private static final int ADDRESSES_MAX = 4_096;

    /// So much of an address of IPv6 is one network.
    private static final int NETWORK_BYTES = 8;

    private final Bucket all = bucket(BURST, PER_SECOND);
    private final Map<ByteBuffer, Bucket> byAddress = bounded();
    private final Map<ByteBuffer, Boolean> good = bounded();
    private final SequencedSet<Channel> strangers = new LinkedHashSet<>();
    private final Map<ByteBuffer, Set<Channel>> strangersOf = new LinkedHashMap<>();

    private static Bucket bucket(int burst, int perSecond) {
        return Bucket.builder()
                .addLimit(
                        limit ->
                                limit.capacity(burst)
                                        .refillGreedy(perSecond, Duration.ofSeconds(1)))
                .build();
    }

    private static <T> Map<ByteBuffer, T> bounded() {
        return new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<ByteBuffer, T> eldest) {
                return size() > ADDRESSES_MAX;
            }
        };
    }

    private static ByteBuffer key(Channel channel) {
        InetAddress address = ((InetSocketAddress) channel.remoteAddress()).getAddress();
        byte[] bytes = address.getAddress();
        return ByteBuffer.wrap(
                address instanceof Inet6Address ? Arrays.copyOf(bytes, NETWORK_BYTES) : bytes);
    }

    /// Whether it may begin its handshake. It is a stranger until it closes, or is [#known].
    synchronized boolean admits(Channel channel) {
        if (!(channel.remoteAddress() instanceof InetSocketAddress)) {
            return false;
        }
        ByteBuffer key = key(channel);
        boolean mayCome =
                byAddress
                                .computeIfAbsent(
                                        key, _ -> bucket(BURST_PER_ADDRESS, PER_SECOND_PER_ADDRESS))
                                .tryConsume(1)
                        && (good.containsKey(key) || all.tryConsume(1));
        Set<Channel> own = strangersOf.getOrDefault(key, Set.of());
        if (!mayCome || own.size() >= STRANGERS_PER_ADDRESS_MAX) {
            return false;
        }
        if (strangers.size() >= STRANGERS_MAX) {
            var _ = strangers.getFirst().close();
        }
        strangers.add(channel);
        strangersOf.computeIfAbsent(key, _ -> new LinkedHashSet<>()).add(channel);
        channel.closeFuture().addListener(_ -> leave(channel, key));
        return true;
    }

    private synchronized void leave(Channel channel, ByteBuffer key) {
        strangers.remove(channel);
        strangersOf.computeIfPresent(
                key,
                (_, own) -> {
                    own.remove(channel);
                    return own.isEmpty() ? null : own;
                });
    }

    /// It has shown a certificate of a session, or sent something that a host has signed.
    synchronized void known(Channel channel) {
        ByteBuffer key = key(channel);
        good.put(key, true);
        leave(channel, key);
    }
}
