package dev.sallyport.session;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Gives each name that a sandbox may resolve its own address in 127.64.0.0/10. A connection to
/// that address says which name was meant before its first byte. That a name is in the table
/// permits nothing; whoever is connected to asks the policy.
///
/// The address follows from the name, so it is the same in every session and after every restart;
/// only names that collide depend on which others there are. A name keeps its address as long as
/// the table lives.
public final class NameTable {
    private static final int NETWORK = 127 << 24 | 64 << 16;
    private static final int HOST_MASK = (1 << 22) - 1;

    private final int belowWildcardsMax;
    private final Map<HostName, Integer> addresses = new HashMap<>();
    private final Map<Integer, HostName> names = new HashMap<>();
    private int belowWildcards;

    /// @param belowWildcardsMax how many names may be had that the policy does not spell out; a
    ///   sandbox can invent those without end
    public NameTable(int belowWildcardsMax) {
        this.belowWildcardsMax = belowWildcardsMax;
    }

    /// The four bytes of the address as a number; empty when the policy has no use for the name, or
    /// the table is full.
    public synchronized Optional<Integer> addressOf(HostName host, Policy policy) {
        if (!policy.resolves(host)) {
            return Optional.empty();
        }
        // In order, so that what collides gets the same addresses again after a restart.
        policy.hosts().forEach(this::place);
        Integer known = addresses.get(host);
        if (known != null) {
            return Optional.of(known);
        }
        if (belowWildcards >= belowWildcardsMax) {
            return Optional.empty();
        }
        belowWildcards++;
        return Optional.of(place(host));
    }

    /// Which name was meant by connecting to this address.
    public synchronized Optional<HostName> nameOf(int address, Policy policy) {
        policy.hosts().forEach(this::place);
        return Optional.ofNullable(names.get(address));
    }

    private int place(HostName host) {
        Integer known = addresses.get(host);
        if (known != null) {
            return known;
        }
        int offset = preferredOffset(host);
        while (names.containsKey(NETWORK | offset)) {
            offset = offset + 1 & HOST_MASK;
        }
        addresses.put(host, NETWORK | offset);
        names.put(NETWORK | offset, host);
        return NETWORK | offset;
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
}
