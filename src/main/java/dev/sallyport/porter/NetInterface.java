package dev.sallyport.porter;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Flags and addresses of an interface in the calling thread's network namespace. A new namespace
/// has its loopback down, and only `ioctl` or netlink can change that.
public final class NetInterface {
    public static final String LOOPBACK = "lo";

    private static final long SIOCGIFFLAGS = 0x8913;
    private static final long SIOCSIFFLAGS = 0x8914;
    private static final long SIOCSIFADDR = 0x8916;
    private static final short IFF_UP = 1;
    private static final short AF_INET = 2;

    /// Where the address begins in a `struct sockaddr_in`.
    private static final int SOCKADDR_ADDRESS = 4;

    /// `struct ifreq`: sixteen bytes of name, then a union that starts with the flags.
    private static final int IFREQ_BYTES = 40;

    private static final int NAME_BYTES = 16;

    private NetInterface() {}

    public static boolean isUp(String name) throws IOException {
        return (flags(name, false) & IFF_UP) != 0;
    }

    public static void bringUp(String name) throws IOException {
        flags(name, true);
    }

    /// Adds the address 127.0.0.2 to loopback. The C library leaves 127.0.0.1 out of account when a
    /// program asks for IPv4 addresses "if the system has one" (`AI_ADDRCONFIG`), and would then
    /// resolve nothing at all.
    static void addSecondLoopbackAddress() throws IOException {
        int socket = Libc.datagramSocket();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment request = arena.allocate(IFREQ_BYTES, Long.BYTES);
            request.setString(0, LOOPBACK + ":2");
            request.set(ValueLayout.JAVA_SHORT, NAME_BYTES, AF_INET);
            byte[] address = {127, 0, 0, 2};
            MemorySegment.copy(
                    address,
                    0,
                    request,
                    ValueLayout.JAVA_BYTE,
                    NAME_BYTES + SOCKADDR_ADDRESS,
                    address.length);
            Libc.ioctl(socket, SIOCSIFADDR, request);
        } finally {
            Libc.close(socket);
        }
    }

    private static short flags(String name, boolean raise) throws IOException {
        if (name.length() >= NAME_BYTES) {
            throw new IOException("an interface name has at most 15 characters: " + name);
        }
        int socket = Libc.datagramSocket();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment request = arena.allocate(IFREQ_BYTES, Long.BYTES);
            request.setString(0, name);
            Libc.ioctl(socket, SIOCGIFFLAGS, request);
            short flags = request.get(ValueLayout.JAVA_SHORT, NAME_BYTES);
            if (raise && (flags & IFF_UP) == 0) {
                request.set(ValueLayout.JAVA_SHORT, NAME_BYTES, (short) (flags | IFF_UP));
                Libc.ioctl(socket, SIOCSIFFLAGS, request);
            }
            return flags;
        } finally {
            Libc.close(socket);
        }
    }
}
