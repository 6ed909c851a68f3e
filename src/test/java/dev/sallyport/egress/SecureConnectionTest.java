package dev.sallyport.egress;

import static dev.sallyport.egress.EgressRig.HOST;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A connection to the address that stands for a host: what it must begin with to get there, and
/// that nothing leaves the gateway otherwise.
final class SecureConnectionTest {
    private static final String UNRECOGNIZED_NAME = "15030300020270";
    private static final String DECODE_ERROR = "15030300020232";
    private static final String ACCESS_DENIED = "15030300020231";
    private static final String INTERNAL_ERROR = "15030300020250";

    private TcpUpstream upstream;
    private EgressRig rig;

    @BeforeEach
    void open() throws IOException {
        upstream = new TcpUpstream(Answers::echo);
        rig = new EgressRig(Limits.standard(), EgressRig.rule(HOST.value(), upstream.dial(), 443));
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
        upstream.close();
    }

    private void restart(Limits.Egress egress) {
        rig.close();
        rig =
                new EgressRig(
                        EgressRig.limits(egress),
                        EgressRig.rule(HOST.value(), upstream.dial(), 443));
    }

    private void assertRefused(byte[] wire, String alert, String reason) throws IOException {
        try (RawSocket client = rig.secure()) {
            client.send(wire);
            assertThat(client.restInHex()).isEqualTo(alert);
        }
        assertThat(rig.recorded("egress.connect")).containsExactly("deny " + reason);
        assertThat(upstream.connections()).isZero();
    }

    private void assertPasses(RawSocket client, byte[] hello) throws IOException {
        assertThat(client.take(Answers.SERVER_HELLO.length)).isEqualTo(Answers.SERVER_HELLO);
        client.send("ping");
        assertThat(client.take(4)).asString().isEqualTo("ping");
        assertThat(upstream.received(upstream.connections() - 1)).startsWith(hello);
    }

    @Test
    void passesOnAHelloThatNamesTheHost() throws Exception {
        byte[] hello = Hellos.of(HOST.value());
        try (RawSocket client = rig.secure()) {
            assertPasses(client.send(hello), hello);
        }
        Await.until("the end", () -> !rig.recorded("egress.end").isEmpty());
        assertThat(rig.recorded("egress.connect")).containsExactly("allow -");
        assertThat(rig.details("egress.connect", "host")).containsExactly("host.example");
        assertThat(rig.details("egress.connect", "port")).containsExactly("443");
        assertThat(rig.details("egress.connect", "door")).containsExactly("transparent");
        assertThat(rig.details("egress.connect", "rule")).containsExactly("test");
        assertThat(rig.details("egress.end", "bytes-up"))
                .containsExactly(String.valueOf(hello.length + 4));
        assertThat(rig.details("egress.end", "bytes-down"))
                .containsExactly(String.valueOf(Answers.SERVER_HELLO.length + 4));
        assertThat(rig.details("egress.end", "why")).containsExactly("closed");
        assertThat(rig.total().requests()).isEqualTo(1);
        assertThat(rig.total().bytesUp()).isEqualTo(hello.length + 4);
    }

    @Test
    void e17_passesOnAHelloByteByByteAndInTheSmallestRecords() throws IOException {
        byte[] hello = Hellos.naming(HOST.value()).inRecords(List.of(1));
        try (RawSocket client = rig.secure()) {
            for (byte each : hello) {
                client.send(new byte[] {each});
            }
            assertPasses(client, hello);
        }
    }

    @Test
    void p11_recordsBeforeItDials() throws IOException {
        List<Integer> dialledBefore = new CopyOnWriteArrayList<>();
        rig.whenRecorded = () -> dialledBefore.add(upstream.connections());
        byte[] hello = Hellos.of(HOST.value());
        try (RawSocket client = rig.secure()) {
            assertPasses(client.send(hello), hello);
        }
        assertThat(dialledBefore.getFirst()).isZero();
    }

    @Test
    void p11_dialsNothingThatCannotBeRecorded() throws IOException {
        rig.recorderBroken = true;
        try (RawSocket client = rig.secure()) {
            client.send(Hellos.of(HOST.value()));
            assertThat(client.restInHex()).isEqualTo(INTERNAL_ERROR);
        }
        assertThat(upstream.connections()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil.example", "www.host.example", "host.example.evil.example"})
    void e3_refusesAnotherNameThanTheOneThatWasDialled(String name) throws IOException {
        assertRefused(Hellos.of(name), UNRECOGNIZED_NAME, "names-disagree");
        assertThat(rig.details("egress.connect", "named")).containsExactly(name);
    }

    @Test
    void e3_refusesAnotherNameInAllowedCompany() throws IOException {
        rig.changeRules(
                EgressRig.rule(HOST.value(), upstream.dial(), 443),
                EgressRig.rule("other.example", upstream.dial(), 443));
        assertRefused(Hellos.of("other.example"), UNRECOGNIZED_NAME, "names-disagree");
    }

    @Test
    void e3_refusesNoNameAndTwo() throws IOException {
        assertRefused(Hellos.naming(HOST.value()).withoutName().bytes(), DECODE_ERROR, "bad-hello");
        assertThat(rig.details("egress.connect", "flaw")).containsExactly("no-name");
        rig.events.clear();
        byte[] names = Hellos.serverNames(HOST.value(), HOST.value());
        assertRefused(
                Hellos.naming(HOST.value()).withName(names).bytes(), DECODE_ERROR, "bad-hello");
    }

    @Test
    void p7_refusesAHelloThatHidesItsName() throws IOException {
        byte[] hello = Hellos.naming(HOST.value()).with(0xfe0d, new byte[40]).bytes();
        assertRefused(hello, DECODE_ERROR, "bad-hello");
        assertThat(rig.details("egress.connect", "flaw")).containsExactly("hidden-name");
    }

    /// A ticket or key of an earlier connection does not stand in for a name.
    @ParameterizedTest
    @ValueSource(ints = {35, 41})
    void e17_judgesTheNameOfAResumption(int ticket) throws IOException {
        byte[] mine = Hellos.naming(HOST.value()).with(ticket, new byte[200]).bytes();
        try (RawSocket client = rig.secure()) {
            assertPasses(client.send(mine), mine);
        }
        for (Hellos hello :
                List.of(
                        Hellos.naming("other.example"),
                        Hellos.naming("other.example").withoutName())) {
            try (RawSocket client = rig.secure()) {
                client.send(hello.with(ticket, new byte[200]).bytes());
                assertThat(client.restInHex()).startsWith("1503030002");
            }
        }
        assertThat(upstream.connections()).isEqualTo(1);
    }

    @Test
    void e17_refusesDataThatComesWithTheHello() throws IOException {
        byte[] hello = Hellos.naming(HOST.value()).with(42, new byte[0]).bytes();
        assertRefused(hello, DECODE_ERROR, "bad-hello");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: host.example\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004\u0000",
                "SSH-2.0-OpenSSH_9.2\r\n",
                "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n",
                "\u0000\u001d\u0000\u0001"
            })
    void e4_e17_refusesEveryOtherProtocol(String text) throws IOException {
        byte[] wire = text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        assertRefused(wire, DECODE_ERROR, "bad-hello");
        assertThat(rig.details("egress.connect", "flaw")).containsExactly("not-tls");
    }

    @Test
    void refusesAHelloThatIsTooLarge() throws IOException {
        byte[] hello = Hellos.naming(HOST.value()).padded(17_000).inRecords(List.of(1_000));
        assertRefused(hello, DECODE_ERROR, "bad-hello");
        assertThat(rig.details("egress.connect", "flaw")).containsExactly("too-large");
    }

    @Test
    void p10_refusesAHelloThatDoesNotArriveInTime() throws IOException {
        restart(Egresses.standardBut(e -> e.helloSeconds(1)));
        byte[] hello = Hellos.of(HOST.value());
        try (RawSocket client = rig.secure()) {
            client.send(java.util.Arrays.copyOf(hello, hello.length - 1));
            assertThat(client.restInHex()).isEqualTo(DECODE_ERROR);
        }
        assertThat(rig.details("egress.connect", "flaw")).containsExactly("too-slow");
        assertThat(upstream.connections()).isZero();
    }

    @Test
    void refusesAHostThatNoRuleNamesBeforeItSaysAnything() throws IOException {
        rig.changeRules(EgressRig.rule("other.example", upstream.dial(), 443));
        assertRefused(new byte[0], UNRECOGNIZED_NAME, "name-not-allowed");
    }

    @Test
    void e4_refusesAPortThatNoRuleNames() throws IOException {
        rig.changeRules(EgressRig.rule(HOST.value(), upstream.dial(), 80, 8443));
        assertRefused(Hellos.of(HOST.value()), ACCESS_DENIED, "port-not-allowed");
    }

    @Test
    void handsAnInspectedConnectionOverWithNothingLeftInItsPipeline() throws IOException {
        rig.changeRules(EgressRig.inspectedRule(HOST.value(), upstream.dial()));
        byte[] hello = Hellos.of(HOST.value());
        try (RawSocket client = rig.secure()) {
            assertThat(client.send(hello).rest()).isEmpty();
        }
        assertThat(rig.inspected)
                .containsExactly(
                        "host.example " + hello.length + " [DefaultChannelPipeline$TailContext#0]");
        assertThat(rig.recorded("egress.connect")).containsExactly("allow -");
        assertThat(rig.details("egress.connect", "inspected")).containsExactly("yes");
        assertThat(upstream.connections()).isZero();
    }

    @Test
    void e3_inspectsNothingThatNamesAnotherHost() throws IOException {
        rig.changeRules(EgressRig.inspectedRule(HOST.value(), upstream.dial()));
        assertRefused(Hellos.of("evil.example"), UNRECOGNIZED_NAME, "names-disagree");
        assertThat(rig.inspected).isEmpty();
    }

    @Test
    void tellsWhenTheHostCannotBeReached() throws Exception {
        int free;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = closed.getLocalPort();
        }
        rig.changeRules(EgressRig.rule(HOST.value(), "127.0.0.1:" + free, 443));
        try (RawSocket client = rig.secure()) {
            assertThat(client.send(Hellos.of(HOST.value())).restInHex()).isEqualTo(INTERNAL_ERROR);
        }
        assertThat(rig.details("egress.end", "why")).containsExactly("upstream-unreachable");
        assertThat(rig.total().requests()).as("only what succeeded is use").isZero();
    }

    @Test
    void opensSoManyConnectionsToOneHostOnly() throws Exception {
        restart(Egresses.standardBut(e -> e.connectionsPerHost(1)));
        byte[] hello = Hellos.of(HOST.value());
        try (RawSocket first = rig.secure()) {
            assertPasses(first.send(hello), hello);
            try (RawSocket second = rig.secure()) {
                assertThat(second.send(hello).restInHex()).isEqualTo(ACCESS_DENIED);
            }
            assertThat(upstream.connections()).isEqualTo(1);
            assertThat(rig.recorded("egress.connect"))
                    .containsExactly("allow -", "deny budget-spent");
        }
        Await.until("the end", () -> !rig.recorded("egress.end").isEmpty());
        try (RawSocket third = rig.secure()) {
            assertPasses(third.send(hello), hello);
        }
    }

    @Test
    void e19_recordsNothingOfWhatIsNoHello() throws IOException {
        try (RawSocket client = rig.secure()) {
            client.send("\u001b]0;x\u0007\n").rest();
        }
        assertThat(rig.recorded("egress.connect")).hasSize(1);
        assertThat(rig.events.toString()).doesNotContain("\u001b", "\u0007", "\n");
        assertThat(upstream.connections()).isZero();
    }
}
