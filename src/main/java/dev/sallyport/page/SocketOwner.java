package dev.sallyport.page;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/// Whose the other end of a connection over loopback is, as the kernel says. A port tells accounts
/// apart as little as a cookie does; this is for TCP what peer credentials are for a Unix socket.
final class SocketOwner {
    private static final List<Path> TABLES =
            List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"));

    /// Sockets in other states may have no owner any more, and then show root's number.
    private static final String ESTABLISHED = "01";

    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int STATE = 3;
    private static final int OWNER = 7;

    private SocketOwner() {}

    /// Empty when it is not on this machine, or gone. Blocks.
    static OptionalInt uid(InetSocketAddress peer, InetSocketAddress own) throws IOException {
        Set<String> there = written(peer);
        Set<String> here = written(own);
        for (Path table : TABLES) {
            if (!Files.exists(table)) {
                continue;
            }
            try (BufferedReader lines = Files.newBufferedReader(table, StandardCharsets.US_ASCII)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    String[] fields = line.strip().split(" +", OWNER + 2);
                    if (fields.length > OWNER
                            && fields[STATE].equals(ESTABLISHED)
                            && there.contains(fields[LOCAL])
                            && here.contains(fields[REMOTE])) {
                        return OptionalInt.of(Integer.parseUnsignedInt(fields[OWNER]));
                    }
                }
            }
        }
        return OptionalInt.empty();
    }

    /// A place as the tables have it. The kernel writes the four bytes of an address as one number
    /// of the machine. A socket for both versions of IP has the same four at its end.
    private static Set<String> written(InetSocketAddress place) {
        byte[] bytes = place.getAddress().getAddress();
        if (bytes.length != 4) {
            return Set.of();
        }
        StringBuilder hex = new StringBuilder();
        for (int i = 0; i < bytes.length; i++) {
            boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
            hex.append("%02X".formatted(bytes[little ? bytes.length - 1 - i : i]));
        }
        String here = hex + ":" + "%04X".formatted(place.getPort());
        return Set.of(here, "0000000000000000" + mappedPrefix() + here);
    }

    private static String mappedPrefix() {
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? "FFFF0000" : "0000FFFF";
    }
}
