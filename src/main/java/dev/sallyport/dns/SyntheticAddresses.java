package dev.sallyport.dns;

import dev.sallyport.policy.HostName;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/// Gives each host of a policy its own address in 127.64.0.0/10. A connection to that address says
/// which name was meant before its first byte.
///
/// The address follows from the name, so it is the same in every session and after every restart;
/// only names that collide depend on which others there are.
final class SyntheticAddresses {
    private static final int NETWORK = 127 << 24 | 64 << 16;
    private static final int HOST_MASK = (1 << 22) - 1;

    private final Map<HostName, Integer> addresses;

    private SyntheticAddresses(Map<HostName, Integer> addresses) {
        this.addresses = Map.copyOf(addresses);
    }

    static SyntheticAddresses of(SortedSet<HostName> hosts) {
        Map<HostName, Integer> addresses = new HashMap<>();
        Set<Integer> taken = new HashSet<>();
        for (HostName host : hosts) {
            int offset = preferredOffset(host);
            while (!taken.add(offset)) {
                offset = offset + 1 & HOST_MASK;
            }
            addresses.put(host, NETWORK | offset);
        }
        return new SyntheticAddresses(addresses);
    }

    private static int preferredOffset(HostName host) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(host.value().getBytes(StandardCharsets.US_ASCII));
            return ByteBuffer.wrap(digest).getInt() & HOST_MASK;
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /// The four bytes of the address as a number.
    Optional<Integer> of(HostName host) {
        return Optional.ofNullable(addresses.get(host));
    }
}
