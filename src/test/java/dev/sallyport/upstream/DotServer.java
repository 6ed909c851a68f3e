package dev.sallyport.upstream;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/// A resolver on loopback, behind real TLS (RFC 7858), that knows one address of each family for
/// every name.
public final class DotServer implements AutoCloseable {
    /// The names that it was asked for, once for each family.
    public final List<String> asked = new CopyOnWriteArrayList<>();

    volatile int idOffset;
    volatile int code;
    private final SSLServerSocket listener;
    private final String v4;

    /// @param v4 what it answers to questions for IPv4
    public DotServer(SSLContext tls, String v4) throws IOException {
        this.v4 = v4;
        this.listener =
                (SSLServerSocket)
                        tls.getServerSocketFactory()
                                .createServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::serve);
    }

    public String dial() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    private void serve() {
        while (!listener.isClosed()) {
            try (Socket socket = listener.accept()) {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                while (true) {
                    byte[] query = new byte[in.readUnsignedShort()];
                    in.readFully(query);
                    byte[] answer = answer(query);
                    out.writeShort(answer.length);
                    out.write(answer);
                    out.flush();
                }
            } catch (IOException e) {
                // The client is done with this connection, or never trusted it.
            }
        }
    }

    /// One record, whose name is a pointer to the question.
    private byte[] answer(byte[] query) throws IOException {
        boolean forV4 = query[query.length - 3] == 1;
        asked.add(name(query));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeShort((((query[0] & 0xff) << 8) + (query[1] & 0xff) + idOffset) & 0xffff);
        out.writeShort(0x8180 | code);
        out.writeShort(1);
        out.writeShort(1);
        out.writeInt(0);
        out.write(query, 12, query.length - 12);
        out.writeShort(0xc00c);
        out.writeShort(forV4 ? 1 : 28);
        out.writeShort(1);
        out.writeInt(60);
        byte[] address = InetAddress.ofLiteral(forV4 ? v4 : "2001:db8::7").getAddress();
        out.writeShort(address.length);
        out.write(address);
        return bytes.toByteArray();
    }

    private static String name(byte[] query) {
        StringBuilder name = new StringBuilder();
        for (int at = 12; query[at] != 0; at += query[at] + 1) {
            name.append(new String(query, at + 1, query[at], StandardCharsets.US_ASCII))
                    .append('.');
        }
        return name.toString();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
