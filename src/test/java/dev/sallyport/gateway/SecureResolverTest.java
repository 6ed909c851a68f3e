package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.channel.Message;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.Limits;
import dev.sallyport.egress.Hellos;
import dev.sallyport.egress.RawSocket;
import dev.sallyport.git.TestPki;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.upstream.DotServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.Test;

/// A gateway that asks a resolver over TLS, from the sandbox's `CONNECT` to the address that is
/// dialled.
final class SecureResolverTest {
    private static final String SESSION = "00000000000000aa";
    private static final String HOST = "host.example";
    private static final String RESOLVER = "dns.example";
    private static final String INSIDE = "10.99.0.1";

    /// In a namespace of its own, whose kernel takes a whole private network for loopback while no
    /// interface has an address of it: so it is not this machine's, and yet the test can listen.
    @Test
    void reachesAPrivateHostWhereARuleSaysSoAndNotOtherwise() throws Exception {
        Process process =
                new ProcessBuilder(
                                "unshare",
                                "--user",
                                "--map-root-user",
                                "--net",
                                "--",
                                "sh",
                                "-euc",
                                "ip link set lo up; ip route add local 10.99.0.0/16 dev lo;"
                                        + " exec \"$0\" -cp \"$1\" \"$2\"",
                                System.getProperty("java.home") + "/bin/java",
                                System.getProperty("java.class.path"),
                                SecureResolverTest.class.getName())
                        .redirectErrorStream(true)
                        .start();
        try {
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(said).contains("reached, and refused otherwise");
            assertThat(process.exitValue()).as(said).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    /// What runs in the namespace.
    public static void main(String[] arguments) throws Exception {
        TestPki pki = new TestPki();
        AtomicInteger connections = new AtomicInteger();
        try (DotServer resolver = new DotServer(pki.server(RESOLVER), INSIDE);
                SSLServerSocket _ = greeting(pki.server(HOST), connections)) {
            GatewayInProcess gateway = gateway(resolver, pki.caPem());
            gateway.attach(SESSION, new Message.Spent(0, 0, 0), rule(true));
            try (RawSocket client = connected(gateway)) {
                String answer = new TlsProbe(pki.caPem(), "TLSv1.3").get(client.socket(), HOST);
                assertThat(answer).isEqualTo("hello");
            }
            assertThat(connections).hasValue(1);
            assertThat(resolver.asked).contains(HOST + ".");
            gateway.changeReach(SESSION, false, rule(false));
            try (RawSocket client = connected(gateway)) {
                assertThat(client.send(Hellos.of(HOST)).restInHex()).startsWith("1503030002");
            }
            assertThat(connections).hasValue(1);
            assertThat(reasons(gateway)).contains("address-not-allowed");
            gateway.close();
        }
        System.out.println("reached, and refused otherwise");
        System.exit(0);
    }

    private static SSLServerSocket greeting(SSLContext tls, AtomicInteger connections)
            throws IOException {
        SSLServerSocket listener =
                (SSLServerSocket)
                        tls.getServerSocketFactory()
                                .createServerSocket(443, 8, InetAddress.ofLiteral(INSIDE));
        Thread.ofVirtual()
                .start(
                        () -> {
                            while (!listener.isClosed()) {
                                greet(listener, connections);
                            }
                        });
        return listener;
    }

    private static void greet(SSLServerSocket listener, AtomicInteger connections) {
        try (Socket socket = listener.accept()) {
            connections.incrementAndGet();
            assertThat(socket.getInputStream().read()).isEqualTo('G');
            socket.getOutputStream().write("hello".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            if (!listener.isClosed()) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static GatewayInProcess gateway(DotServer resolver, String caPem) {
        return new GatewayInProcess(
                Limits.standard(),
                (_, _, _) -> new IgnoredBody(),
                Optional.of(new Message.Resolver(resolver.dial(), RESOLVER, Optional.of(caPem))));
    }

    private static EgressText rule(boolean privateAddresses) {
        return new EgressText(
                HOST,
                List.of(443),
                privateAddresses,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                "test");
    }

    private static RawSocket connected(GatewayInProcess gateway) throws IOException {
        RawSocket client = new RawSocket(gateway.proxyPorts.getOrDefault(SESSION, 0));
        client.send("CONNECT host.example:443 HTTP/1.1\r\nHost: host.example:443\r\n\r\n");
        assertThat(client.head()).startsWith("HTTP/1.1 200 ");
        return client;
    }

    private static List<String> reasons(GatewayInProcess gateway) {
        return gateway.recorded(SESSION, "egress.end").stream()
                .map(AuditEvent::detail)
                .map(detail -> detail.getOrDefault("why", "-"))
                .toList();
    }

    @Test
    void e7DialsNothingWhenTheResolverAnswersWithAnAddressOfTheInside() throws Exception {
        TestPki pki = new TestPki();
        for (String inside : List.of(INSIDE, "127.0.0.1", "169.254.169.254")) {
            try (DotServer resolver = new DotServer(pki.server(RESOLVER), inside)) {
                GatewayInProcess gateway = gateway(resolver, pki.caPem());
                gateway.attach(SESSION, new Message.Spent(0, 0, 0), rule(false));
                try (RawSocket client = connected(gateway)) {
                    assertThat(client.send(Hellos.of(HOST)).restInHex()).startsWith("1503030002");
                }
                assertThat(resolver.asked).contains(HOST + ".");
                assertThat(reasons(gateway)).containsExactly("address-not-allowed");
                gateway.close();
            }
        }
    }
}
