package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.channel.Message;
import dev.sallyport.fixture.Await;
import dev.sallyport.fleet.Enrolment;
import dev.sallyport.fleet.EnrolmentCode;
import dev.sallyport.fleet.HostKey;
import dev.sallyport.fleet.Hosts;
import dev.sallyport.fleet.PodEnrolment;
import dev.sallyport.fleet.SignedRequest;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Strangers at the public port: they get no byte of an answer, cost the warden nothing, and do not
/// keep anybody else out.
final class KnocksTest {
    private static final String SIGNED = "/v1/host";
    private static final String ENROLMENT = "/v1/enrol";

    private @TempDir Path directory;
    private RemotePortRig rig;
    private HostKey host;
    private EnrolmentCode code;

    @BeforeEach
    void open() throws Exception {
        rig = new RemotePortRig(directory.resolve("fleet"));
        host = HostKey.create(directory.resolve("host"), Optional.empty(), "gateway");
        code = code("known");
        rig.open(List.of(host.publicKey()), List.of(code.id()));
    }

    private EnrolmentCode code(String name) throws Exception {
        return EnrolmentCode.parse(
                Hosts.open(
                                directory.resolve("fleet"),
                                Optional.empty(),
                                Instant::now,
                                rig.authority)
                        .invite(name, "gateway.example.com:8443", Duration.ofMinutes(10)));
    }

    @AfterEach
    void close() throws Exception {
        rig.close();
        assertThat(rig.gateway.halts).isEmpty();
    }

    private String signed(HostKey by, String json) {
        return SignedRequest.sign(
                by,
                code.audience(),
                "open",
                json.getBytes(StandardCharsets.US_ASCII),
                Instant.now());
    }

    private static String post(String path, String body, String... fields) {
        return "POST "
                + path
                + " HTTP/1.1\r\nHost: gateway.sallyport\r\nContent-Type: text/plain\r\n"
                + (fields.length == 0
                        ? "Content-Length: " + body.length()
                        : String.join("\r\n", fields))
                + "\r\n\r\n"
                + body;
    }

    private SSLSocket dial(String version, String... protocols) throws Exception {
        Socket plain = new Socket(InetAddress.getLoopbackAddress(), rig.port());
        plain.setSoTimeout(60_000);
        return new TlsProbe(rig.authority.authorityPems().getLast(), version)
                .secured(plain, "gateway.sallyport", protocols);
    }

    private byte[] answerTo(String said, String... protocols) throws Exception {
        try (SSLSocket tls = dial("TLSv1.3", protocols)) {
            tls.startHandshake();
            tls.getOutputStream().write(said.getBytes(StandardCharsets.ISO_8859_1));
            return tls.getInputStream().readAllBytes();
        } catch (SSLException e) {
            throw e;
        } catch (IOException _) {
            // Closed while we were still talking.
            return new byte[0];
        }
    }

    private List<Message.Knock> knocks() {
        return rig.gateway.toWarden.stream()
                .filter(Message.Knock.class::isInstance)
                .map(Message.Knock.class::cast)
                .toList();
    }

    /// Answers the next knock as the warden would, and requires that the answer arrives.
    private void requireHeard(String said) throws Exception {
        int before = knocks().size();
        try (SSLSocket tls = dial("TLSv1.3", "http/1.1")) {
            tls.getOutputStream().write(said.getBytes(StandardCharsets.ISO_8859_1));
            Await.until("the warden hears of it", () -> knocks().size() > before);
            rig.gateway.receive(new Message.Reply(knocks().getLast().id(), 200, "{\"a\":1}"));
            assertThat(tls.getInputStream().readAllBytes())
                    .asString(StandardCharsets.US_ASCII)
                    .startsWith("HTTP/1.1 200 OK")
                    .endsWith("{\"a\":1}");
        }
    }

    private void requireSilence(String said) throws Exception {
        assertThat(answerTo(said, "http/1.1")).as("no byte of an answer").isEmpty();
        assertThat(knocks()).as("the warden did not hear of it").isEmpty();
    }

    @Test
    void passesOnWhatAHostHasSigned() throws Exception {
        String line = signed(host, "{}");
        requireHeard(post(SIGNED, line));
        assertThat(knocks()).singleElement().extracting(Message.Knock::text).isEqualTo(line);
    }

    @Test
    void passesOnAnEnrolmentWithACodeThatIsOpenAndNoOther() throws Exception {
        HostKey fresh = HostKey.create(directory.resolve("fresh"), Optional.empty(), "gateway");
        requireSilence(post(ENROLMENT, Enrolment.request(code("unknown"), fresh)));
        requireSilence(post(ENROLMENT, "sallyport-enrolment-1." + code.id()));
        requireHeard(post(ENROLMENT, Enrolment.request(code, fresh)));
    }

    @Test
    void passesOnThePodsLineOnlyWherePodsMayCome() throws Exception {
        String line = PodEnrolment.request(code.audience(), HostKey.inMemory(), "aa.bb.cc");
        requireSilence(post(ENROLMENT, line));
        rig.pods = true;
        rig.gateway.receive(rig.terms(List.of(host.publicKey()), List.of(code.id())));
        requireSilence(post(SIGNED, line));
        requireSilence(post(ENROLMENT, line.replace(".aa.", ".ab.")));
        requireSilence(post(ENROLMENT, line.replace("aa.bb.cc", "aa.bb")));
        requireSilence(post(ENROLMENT, line + "\n"));
        requireHeard(post(ENROLMENT, line));
    }

    /// Anybody can sign one, so many of them keep nobody else out.
    @Test
    void podsComeInOnlySoFastAndDoNotUseUpTheEnrolmentsOfOthers() throws Exception {
        List<Message> heard = new ArrayList<>();
        Knocks knocks = new Knocks(heard::add, new Arrivals());
        knocks.know(List.of(), List.of(code.id()), true);
        int sent = 300;
        for (int i = 0; i < sent; i++) {
            Slow pod = new Slow("192.0.2.1");
            knocks.serve(pod);
            pod.say(post(ENROLMENT, podLine()));
            pod.close().syncUninterruptibly();
        }
        assertThat(heard).hasSizeBetween(64, sent - 1);
        HostKey fresh = HostKey.create(directory.resolve("fresh"), Optional.empty(), "gateway");
        Slow other = new Slow("192.0.2.2");
        knocks.serve(other);
        String enrolment = Enrolment.request(code, fresh);
        other.say(post(ENROLMENT, enrolment));
        assertThat(heard.getLast())
                .isInstanceOfSatisfying(
                        Message.Knock.class,
                        knock -> assertThat(knock.text()).isEqualTo(enrolment));
    }

    private String podLine() {
        return PodEnrolment.request(code.audience(), HostKey.inMemory(), "aa.bb.cc");
    }

    @Test
    void g6_whatNobodyHasSignedIsNotAnswered() throws Exception {
        HostKey stranger = HostKey.create(directory.resolve("stranger"), Optional.empty(), "g");
        String line = signed(host, "{}");
        String foreign = signed(stranger, "{}");
        requireSilence(post(SIGNED, "{}"));
        requireSilence(post(SIGNED, ""));
        requireSilence(post(SIGNED, foreign));
        requireSilence(post(SIGNED, foreign.replace(stranger.id().value(), host.id().value())));
        requireSilence(post(SIGNED, line.replace(".open.", ".done.")));
        requireHeard(post(SIGNED, line));
    }

    @Test
    void anotherMethodPathOrProtocolIsNotAnswered() throws Exception {
        String line = signed(host, "{}");
        requireSilence(post("/v1/other", line));
        requireSilence(post(ENROLMENT, line));
        requireSilence(post(SIGNED, line).replace("POST", "PUT"));
        requireSilence("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        requireSilence("nothing of HTTP\r\n\r\n");
        requireSilence(post(SIGNED, line, "Upgrade: h2c", "Content-Length: 0"));
        requireHeard(post(SIGNED, line));
    }

    @Test
    void whatIsTooLargeIsNotAnswered() throws Exception {
        String large = "x".repeat(200_000);
        String path = "/v1/" + "x".repeat(1_000);
        requireSilence(post(SIGNED, large));
        requireSilence(post(SIGNED, "", "Content-Length: 200000"));
        requireSilence(post(SIGNED, "", "Content-Length: 200000", "Connection: close"));
        requireSilence(post(SIGNED, "", "Content-Length: 200000", "Expect: 100-continue"));
        requireSilence(post(SIGNED, "30d40\r\n" + large, "Transfer-Encoding: chunked"));
        requireSilence(post(path, "{}"));
        requireSilence(post(SIGNED, "{}", "X-Long: " + "x".repeat(4_000)));
        requireHeard(post(SIGNED, signed(host, "{\"a\":\"" + "x".repeat(40_000) + "\"}")));
    }

    /// RFC 9110 has a server say whether it will read on; this one says nothing to strangers.
    @Test
    void nobodyIsAskedToGoOn() throws Exception {
        String head = post(SIGNED, "", "Content-Length: 2", "Expect: 100-continue");
        requireSilence(head + "{}");
        requireSilence(head.replace("100-continue", "something") + "{}");
    }

    @Test
    void i1_withoutACertificateNothingIsCarried() throws Exception {
        assertThat(answerTo(RemotePortRig.PREFACE, "h2")).as("not even a SETTINGS frame").isEmpty();
        assertThat(answerTo(RemotePortRig.PREFACE, "http/1.1")).isEmpty();
        assertThat(rig.reached).isEmpty();
        requireHeard(post(SIGNED, signed(host, "{}")));
    }

    @Test
    void i1_tls12IsRefused() throws Exception {
        try (SSLSocket tls = dial("TLSv1.2", "http/1.1")) {
            assertThatThrownBy(tls::startHandshake).isInstanceOf(SSLException.class);
        }
        requireHeard(post(SIGNED, signed(host, "{}")));
    }

    /// A connection whose time is in the hands of the test.
    private static final class Slow extends EmbeddedChannel {
        private final String address;

        Slow(String address) {
            this.address = address;
            freezeTime();
        }

        @Override
        protected SocketAddress remoteAddress0() {
            return new InetSocketAddress(InetAddress.ofLiteral(address), 1);
        }

        void say(String text) {
            writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
        }

        void pass(long seconds) {
            advanceTimeBy(seconds, TimeUnit.SECONDS);
            runScheduledPendingTasks();
        }
    }

    /// Each byte comes in time, the whole does not.
    @Test
    void aSlowRequestIsCut() throws Exception {
        List<Message> heard = new ArrayList<>();
        Knocks knocks = new Knocks(heard::add, new Arrivals());
        knocks.know(
                rig.terms(List.of(host.publicKey()), List.of()).hostKeys(),
                List.of(code.id()),
                false);
        String said = post(SIGNED, signed(host, "{}"));
        Slow slow = new Slow("192.0.2.1");
        knocks.serve(slow);
        for (int i = 0; i < said.length() - 1 && slow.isOpen(); i++) {
            slow.say(said.substring(i, i + 1));
            slow.pass(1);
        }
        assertThat(slow.isOpen()).isFalse();
        assertThat(slow.outboundMessages()).isEmpty();
        assertThat(heard).isEmpty();

        Slow steady = new Slow("192.0.2.1");
        knocks.serve(steady);
        steady.say(said.substring(0, 50));
        steady.pass(1);
        steady.say(said.substring(50));
        assertThat(heard).singleElement().isInstanceOf(Message.Knock.class);
        steady.pass(30);
        assertThat(steady.isOpen()).as("the warden has time for its answer").isTrue();
        steady.pass(61);
        assertThat(steady.isOpen()).isFalse();
    }

    @Test
    void aSlowHandshakeIsCut() throws Exception {
        RemotePort port = new RemotePort(rig.loops(), _ -> {});
        port.open(rig.terms(List.of(), List.of()), List.of());
        Slow slow = new Slow("192.0.2.1");
        port.begin(slow);
        slow.pass(5);
        assertThat(slow.isOpen()).isTrue();
        // The head of a record with a hello, and nothing more.
        slow.say("\26\3\1\1\0\1");
        slow.pass(6);
        assertThat(slow.isOpen()).isFalse();
        port.close();
    }

    private static long admitted(Arrivals arrivals, String address, List<Slow> to, int count) {
        return IntStream.range(0, count)
                .filter(
                        _ -> {
                            Slow one = new Slow(address);
                            to.add(one);
                            return arrivals.admits(one);
                        })
                .count();
    }

    @Test
    void manyConnectionsOfOneAddressKeepNobodyElseOut() {
        Arrivals arrivals = new Arrivals();
        List<Slow> half = new ArrayList<>();
        assertThat(admitted(arrivals, "192.0.2.1", half, 200))
                .isEqualTo(Arrivals.STRANGERS_PER_ADDRESS_MAX);
        assertThat(admitted(arrivals, "192.0.2.2", half, 10)).isEqualTo(10);

        half.forEach(channel -> channel.close().syncUninterruptibly());
        assertThat(admitted(arrivals, "192.0.2.1", half, 10)).isEqualTo(10);
    }

    @Test
    void theOldestStrangerMakesRoomForTheNext() {
        Arrivals arrivals = new Arrivals();
        List<Slow> all = new ArrayList<>();
        Slow known = new Slow("192.0.2.1");
        assertThat(arrivals.admits(known)).isTrue();
        arrivals.known(known);
        for (int i = 1; i <= 10; i++) {
            assertThat(admitted(arrivals, "192.0.2." + i, all, 60)).isEqualTo(60);
        }
        assertThat(all.stream().filter(EmbeddedChannel::isOpen).toList())
                .hasSize(Arrivals.STRANGERS_MAX)
                .isEqualTo(all.subList(all.size() - Arrivals.STRANGERS_MAX, all.size()));
        assertThat(known.isOpen()).as("whoever has shown a certificate stays").isTrue();
    }

    /// However its handshakes go.
    @Test
    void oneAddressComesInOnlySoFast() {
        Arrivals arrivals = new Arrivals();
        int tries = 4 * Arrivals.BURST_PER_ADDRESS;
        int in = 0;
        for (int i = 0; i < tries; i++) {
            Slow one = new Slow("192.0.2.1");
            in += arrivals.admits(one) ? 1 : 0;
            one.close().syncUninterruptibly();
        }
        assertThat(in).isBetween(Arrivals.BURST_PER_ADDRESS, tries - 1);
        assertThat(arrivals.admits(new Slow("192.0.2.2"))).isTrue();
    }
}
