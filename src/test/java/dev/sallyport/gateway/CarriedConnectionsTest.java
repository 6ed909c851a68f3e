package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.carry.CarryRig;
import dev.sallyport.channel.Message;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.Limits;
import dev.sallyport.egress.Hellos;
import dev.sallyport.egress.RawSocket;
import dev.sallyport.egress.TcpUpstream;
import dev.sallyport.fixture.Await;
import dev.sallyport.git.HostileUpstream;
import dev.sallyport.git.TestPki;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A sandbox on another machine has the same doors as one that is here, and no others.
final class CarriedConnectionsTest {
    private static final String SESSION = CarryRig.SESSION;
    private static final String HOST = "host.example";
    private static final String LOOPBACK = "127.0.0.1";
    private static final String ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";

    private final GatewayInProcess gateway =
            new GatewayInProcess(
                    Limits.standard(),
                    (_, head, responder) -> {
                        responder.refuse(Refusal.NO_SUCH_ENDPOINT, "git:" + head.path());
                        return new IgnoredBody();
                    });
    private final CarryRig rig = new CarryRig(connection -> gateway.carry(SESSION, connection));
    private final TestPki pki = new TestPki();

    @AfterEach
    void close() throws Exception {
        rig.close();
        gateway.close();
        assertThat(gateway.halts).isEmpty();
    }

    private void attach(EgressText... reach) throws Exception {
        gateway.attach(SESSION, new Message.Spent(0, 0, 0), reach);
        rig.client.use(rig.pki.clientContext(rig.pki.session(SESSION)));
    }

    private RawSocket dialled(String address, int port) {
        return new RawSocket(rig.socket(address, port));
    }

    private static byte[] query(String name) {
        ByteArrayOutputStream query = new ByteArrayOutputStream();
        query.writeBytes(new byte[] {1, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0});
        for (String label : name.split("\\.", -1)) {
            query.write(label.length());
            query.writeBytes(label.getBytes(StandardCharsets.US_ASCII));
        }
        query.writeBytes(new byte[] {0, 0, 1, 0, 1});
        return query.toByteArray();
    }

    /// What the resolver says, as a datagram of the sandbox would get it.
    private byte[] asked(String name) throws Exception {
        CompletableFuture<Optional<ByteBuf>> answer = new CompletableFuture<>();
        rig.client.ask(Unpooled.wrappedBuffer(query(name)), answer::complete);
        ByteBuf message = answer.get(60, TimeUnit.SECONDS).orElseThrow();
        byte[] bytes = ByteBufUtil.getBytes(message);
        message.release();
        return bytes;
    }

    private String addressOf(String name) throws Exception {
        byte[] answer = asked(name);
        List<String> octets = new ArrayList<>();
        for (int i = answer.length - 4; i < answer.length; i++) {
            octets.add(Integer.toString(answer[i] & 0xff));
        }
        return String.join(".", octets);
    }

    private static EgressText tcp(String host, String dial, Integer... ports) {
        return new EgressText(
                host,
                List.of(ports),
                false,
                Optional.of(dial),
                Optional.empty(),
                Optional.empty(),
                true,
                false,
                "test");
    }

    private List<String> decisions() {
        return gateway.recorded(SESSION, "egress.connect").stream()
                .map(AuditEvent::decision)
                .toList();
    }

    @Test
    void theFrontDoorAnswersMoreThanOnce() throws Exception {
        attach();
        try (RawSocket program = dialled(LOOPBACK, 80)) {
            for (int i = 0; i < 2; i++) {
                program.send("GET /healthz HTTP/1.1\r\nHost: gateway.sallyport\r\n\r\n");
                String head = program.head();
                assertThat(head).startsWith("HTTP/1.1 200 ");
                int length = Integer.parseInt(head.replaceAll("(?s).*ength: ([0-9]+).*", "$1"));
                assertThat(program.take(length)).hasSize(length);
            }
        }
    }

    @Test
    void aNameIsResolvedAsOverTcpAndAsADatagram() throws Exception {
        attach(GatewayInProcess.tunnel(HOST, "127.0.0.1:1", 443));
        byte[] question = query(HOST);
        try (RawSocket program = dialled(LOOPBACK, 53)) {
            program.send(new byte[] {0, (byte) question.length}).send(question);
            byte[] length = program.take(2);
            byte[] answer = program.take(ByteBuffer.wrap(length).getShort());
            assertThat(asked(HOST)).isEqualTo(answer);
        }
        assertThat(addressOf(HOST)).startsWith("127.");
        assertThat(asked("other.example")[3] & 0xf).isEqualTo(3);
    }

    @Test
    void manyNamesAreResolvedAtOnce() throws Exception {
        attach(GatewayInProcess.tunnel(HOST, "127.0.0.1:1", 443));
        List<CompletableFuture<Optional<ByteBuf>>> answers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Optional<ByteBuf>> answer = new CompletableFuture<>();
            rig.client.ask(Unpooled.wrappedBuffer(query(HOST)), answer::complete);
            answers.add(answer);
        }
        for (CompletableFuture<Optional<ByteBuf>> answer : answers) {
            answer.get(60, TimeUnit.SECONDS).orElseThrow().release();
        }
    }

    @Test
    void anAllowedHostIsReachedByItsAddressThroughTheProxyAndOnAListedPort() throws Exception {
        try (HostileUpstream host =
                new HostileUpstream(pki.server(HOST), HostileUpstream.saying(ANSWER))) {
            attach(GatewayInProcess.tunnel(HOST, host.dial(), 443, 8_443));
            TlsProbe program = new TlsProbe(pki.caPem(), "TLSv1.3");
            String address = addressOf(HOST);
            for (int port : new int[] {443, 8_443}) {
                try (RawSocket client = dialled(address, port)) {
                    assertThat(program.get(client.socket(), HOST)).endsWith("hello");
                }
            }
            try (RawSocket client = dialled(LOOPBACK, 3_128)) {
                client.send("CONNECT host.example:443 HTTP/1.1\r\nHost: host.example:443\r\n\r\n");
                assertThat(client.head()).startsWith("HTTP/1.1 200 ");
                assertThat(program.get(client.socket(), HOST)).endsWith("hello");
            }
            assertThat(host.heads()).hasSize(3);
        }
        assertThat(decisions()).containsExactly("allow", "allow", "allow");
        Await.until(() -> gateway.recorded(SESSION, "egress.end").size() == 3);
    }

    @Test
    void aTunnelKeepsTheEndOfEachDirection() throws Exception {
        byte[] much = new byte[3_000_000];
        try (TcpUpstream host =
                new TcpUpstream(
                        peer -> {
                            peer.takeAll();
                            peer.say(much);
                        })) {
            attach(tcp(HOST, host.dial(), 5_432));
            try (RawSocket program = dialled(addressOf(HOST), 5_432)) {
                program.send(much);
                program.socket().shutdownOutput();
                assertThat(program.rest()).hasSize(much.length);
            }
            assertThat(host.received(0)).hasSize(much.length);
        }
        Await.until(() -> !gateway.recorded(SESSION, "egress.end").isEmpty());
        Map<String, String> end = gateway.recorded(SESSION, "egress.end").getFirst().detail();
        assertThat(end).containsValue("closed");
    }

    @Test
    void e3_theAddressSaysWhichHostIsMeant() throws Exception {
        try (TcpUpstream host = new TcpUpstream(TcpUpstream.Peer::takeAll)) {
            attach(
                    GatewayInProcess.tunnel(HOST, host.dial(), 443),
                    GatewayInProcess.tunnel("second.example", host.dial(), 443));
            try (RawSocket program = dialled(addressOf("second.example"), 443)) {
                program.send(Hellos.of(HOST));
                assertThat(HexFormat.of().formatHex(program.rest())).startsWith("15030300");
            }
            assertThat(host.connections()).isZero();
        }
        assertThat(decisions()).containsExactly("deny");
    }

    /// No socket of a sandbox that is here would accept them.
    @Test
    void whatNoSocketAcceptsIsResetAndNothingIsDialled() throws Exception {
        try (TcpUpstream host = new TcpUpstream(TcpUpstream.Peer::takeAll)) {
            attach(tcp(HOST, host.dial(), 5_432));
            String address = addressOf(HOST);
            List<RawSocket> refused =
                    List.of(
                            dialled(address, 5_433),
                            dialled(LOOPBACK, 5_432),
                            dialled(address, 3_128),
                            dialled(address, 53),
                            dialled(LOOPBACK, 22));
            for (RawSocket program : refused) {
                assertThatThrownBy(() -> program.socket().getInputStream().read())
                        .hasMessageContaining("reset");
                program.close();
            }
            assertThat(host.connections()).isZero();
            assertThat(decisions()).isEmpty();
            try (RawSocket program = dialled(address, 5_432)) {
                program.send("x");
                Await.until(() -> host.received(0).length == 1);
            }
        }
    }

    @Test
    void anEndedSessionCutsWhatItCarriesAndSaysSo() throws Exception {
        attach();
        try (RawSocket program = dialled(LOOPBACK, 80)) {
            program.send("GET /healthz HTTP/1.1\r\nHost: gateway.sallyport\r\n\r\n");
            assertThat(program.head()).startsWith("HTTP/1.1 200 ");
            gateway.detach(SESSION);
            program.rest();
            Await.until(() -> rig.heard("refused"));
        }
        long before = rig.events.stream().filter(e -> e.startsWith("refused")).count();
        Await.until(
                () -> rig.events.stream().filter(e -> e.startsWith("refused")).count() > before);
    }
}
