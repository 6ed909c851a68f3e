package dev.sallyport.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.git.TestPki;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Against a resolver of the test's own, behind real TLS.
class DotLookupTest {
    private static final String RESOLVER = "dns.example";

    private final TestPki pki = new TestPki();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private SSLServerSocket server;
    private volatile int idOffset;
    private volatile int code;

    @BeforeEach
    void start() throws IOException {
        server =
                (SSLServerSocket)
                        pki.server(RESOLVER)
                                .getServerSocketFactory()
                                .createServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::serve);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private void serve() {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
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

    /// One address record for A, an alias and an address for AAAA, by pointer to the question.
    private byte[] answer(byte[] query) throws IOException {
        boolean v4 = query[query.length - 3] == 1;
        asked.add(new String(query, 12, query.length - 16, StandardCharsets.ISO_8859_1));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeShort((((query[0] & 0xff) << 8) + (query[1] & 0xff) + idOffset) & 0xffff);
        out.writeShort(0x8180 | code);
        out.writeShort(1);
        out.writeShort(1);
        out.writeInt(0);
        out.write(query, 12, query.length - 12);
        out.writeShort(0xc00c);
        out.writeShort(v4 ? 1 : 28);
        out.writeShort(1);
        out.writeInt(60);
        byte[] address = InetAddress.ofLiteral(v4 ? "192.0.2.7" : "2001:db8::7").getAddress();
        out.writeShort(address.length);
        out.write(address);
        return bytes.toByteArray();
    }

    private DotLookup lookup(String name) throws Exception {
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
        return new DotLookup(address, name, Trust.jdk(Optional.of(pki.caPem())).getSocketFactory());
    }

    @Test
    void takesTheAddressesOfBothFamilies() throws Exception {
        InetAddress[] found = lookup(RESOLVER).all("a.example.com");
        assertThat(Arrays.stream(found).map(InetAddress::getHostAddress))
                .containsExactly("192.0.2.7", "2001:db8:0:0:0:0:0:7");
        assertThat(asked).hasSize(2);
    }

    @Test
    void asksNobodyWhoseCertificateIsForAnotherName() throws Exception {
        DotLookup wrong = lookup("other.example");
        assertThatThrownBy(() -> wrong.all("a.example.com"))
                .isInstanceOf(UnknownHostException.class);
        assertThat(asked).isEmpty();
    }

    @Test
    void anAnswerToAnotherQueryOrAnErrorIsNoAddress() throws Exception {
        idOffset = 1;
        assertThatThrownBy(() -> lookup(RESOLVER).all("a.example.com"))
                .isInstanceOf(UnknownHostException.class);
        idOffset = 0;
        code = 3;
        assertThatThrownBy(() -> lookup(RESOLVER).all("a.example.com"))
                .isInstanceOf(UnknownHostException.class);
    }
}
