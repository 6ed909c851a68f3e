package dev.sallyport.gateway;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// Asks a sandbox's resolver for an address.
final class DnsProbe {
    private static final int MILLIS_MAX = 60_000;

    private DnsProbe() {}

    /// Empty when there is no such name.
    static Optional<String> addressOf(String name, int udpPort) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.setSoTimeout(MILLIS_MAX);
            byte[] query = query(name);
            InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
            socket.send(new DatagramPacket(query, query.length, loopback, udpPort));
            DatagramPacket reply = new DatagramPacket(new byte[512], 512);
            socket.receive(reply);
            byte[] bytes = Arrays.copyOf(reply.getData(), reply.getLength());
            return (bytes[3] & 0xf) == 0 ? Optional.of(address(bytes)) : Optional.empty();
        }
    }

    private static String address(byte[] reply) throws IOException {
        byte[] last = Arrays.copyOfRange(reply, reply.length - 4, reply.length);
        return InetAddress.getByAddress(last).getHostAddress();
    }

    private static byte[] query(String name) {
        ByteArrayOutputStream query = new ByteArrayOutputStream();
        query.writeBytes(new byte[] {1, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0});
        for (String label : name.split("\\.", -1)) {
            query.write(label.length());
            query.writeBytes(label.getBytes(StandardCharsets.ISO_8859_1));
        }
        query.writeBytes(new byte[] {0, 0, 1, 0, 1});
        return query.toByteArray();
    }
}
