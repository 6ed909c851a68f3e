package dev.sallyport.upstream;

import java.net.InetAddress;
import java.util.List;

/// What kind of network an address belongs to. Unless a rule says more, only [#PUBLIC] is dialled
/// after a name was resolved: a name of the outside must not lead to this machine, its neighbours
/// or the cloud's metadata.
///
/// From the IANA special-purpose registries (RFC 6890 and what followed). IPv6 is an allowlist:
/// outside 2000::/3 nothing is public.
enum AddressClass {
    PUBLIC,
    UNSPECIFIED,
    LOOPBACK,
    PRIVATE,
    SHARED,
    LINK_LOCAL,
    METADATA,
    MULTICAST,
    DOCUMENTATION,
    RESERVED,
    /// An IPv6 address that carries an IPv4 address, which a translator could reach instead.
    EMBEDDED;

    private static final List<Range> V4 =
            List.of(
                    Range.of("0.0.0.0/8", UNSPECIFIED),
                    Range.of("10.0.0.0/8", PRIVATE),
                    Range.of("100.100.100.200/32", METADATA),
                    Range.of("100.64.0.0/10", SHARED),
                    Range.of("127.0.0.0/8", LOOPBACK),
                    Range.of("168.63.129.16/32", METADATA),
                    Range.of("169.254.0.0/16", LINK_LOCAL),
                    Range.of("172.16.0.0/12", PRIVATE),
                    Range.of("192.0.0.0/24", RESERVED),
                    Range.of("192.0.2.0/24", DOCUMENTATION),
                    Range.of("192.31.196.0/24", RESERVED),
                    Range.of("192.52.193.0/24", RESERVED),
                    Range.of("192.88.99.0/24", RESERVED),
                    Range.of("192.168.0.0/16", PRIVATE),
                    Range.of("192.175.48.0/24", RESERVED),
                    Range.of("198.18.0.0/15", DOCUMENTATION),
                    Range.of("198.51.100.0/24", DOCUMENTATION),
                    Range.of("203.0.113.0/24", DOCUMENTATION),
                    Range.of("224.0.0.0/4", MULTICAST),
                    Range.of("240.0.0.0/4", RESERVED));

    private static final List<Range> V6 =
            List.of(
                    Range.of("::/128", UNSPECIFIED),
                    Range.of("::1/128", LOOPBACK),
                    Range.of("::/96", EMBEDDED),
                    Range.of("::ffff:0:0/96", EMBEDDED),
                    Range.of("::ffff:0:0:0/96", EMBEDDED),
                    Range.of("64:ff9b::/96", EMBEDDED),
                    Range.of("64:ff9b:1::/48", EMBEDDED),
                    Range.of("2001::/32", EMBEDDED),
                    Range.of("2001:2::/48", DOCUMENTATION),
                    Range.of("2001:db8::/32", DOCUMENTATION),
                    Range.of("2001::/23", RESERVED),
                    Range.of("2002::/16", EMBEDDED),
                    Range.of("3fff::/20", DOCUMENTATION),
                    Range.of("fd00:ec2::254/128", METADATA),
                    Range.of("fd20:ce::254/128", METADATA),
                    Range.of("fc00::/7", PRIVATE),
                    Range.of("fe80::/10", LINK_LOCAL),
                    Range.of("fec0::/10", PRIVATE),
                    Range.of("ff00::/8", MULTICAST));

    private static final Range V6_GLOBAL_UNICAST = Range.of("2000::/3", PUBLIC);

    /// Whether a name may lead here. Networks that a person runs can be allowed; this machine, its
    /// links and the cloud's metadata never.
    boolean isUsable(boolean privateAddresses) {
        return this == PUBLIC || (privateAddresses && (this == PRIVATE || this == SHARED));
    }

    static AddressClass of(InetAddress address) {
        return of(address.getAddress());
    }

    /// Takes the raw bytes, because `InetAddress` silently turns a mapped address into IPv4.
    static AddressClass of(byte[] address) {
        boolean v4 = address.length == 4;
        for (Range range : v4 ? V4 : V6) {
            if (range.contains(address)) {
                return range.meaning;
            }
        }
        if (v4) {
            return PUBLIC;
        }
        return isIsatap(address) ? EMBEDDED : globalOrReserved(address);
    }

    private static AddressClass globalOrReserved(byte[] address) {
        return V6_GLOBAL_UNICAST.contains(address) ? PUBLIC : RESERVED;
    }

    /// RFC 5214, section 6.1: the interface identifier `[02]00:5efe` is followed by IPv4.
    private static boolean isIsatap(byte[] address) {
        return (address[8] & ~2) == 0
                && address[9] == 0
                && address[10] == 0x5e
                && (address[11] & 0xff) == 0xfe;
    }

    /// Addresses that share their first `bits`.
    private static final class Range {
        private final byte[] prefix;
        private final int bits;
        private final AddressClass meaning;

        Range(byte[] prefix, int bits, AddressClass meaning) {
            this.prefix = prefix;
            this.bits = bits;
            this.meaning = meaning;
        }

        static Range of(String cidr, AddressClass meaning) {
            int slash = cidr.indexOf('/');
            byte[] prefix = InetLiteral.bytes(cidr.substring(0, slash));
            return new Range(prefix, Integer.parseInt(cidr.substring(slash + 1)), meaning);
        }

        boolean contains(byte[] address) {
            for (int bit = 0; bit < bits; bit++) {
                int difference = address[bit / 8] ^ prefix[bit / 8];
                if ((difference >> (7 - bit % 8) & 1) != 0) {
                    return false;
                }
            }
            return true;
        }
    }
}
