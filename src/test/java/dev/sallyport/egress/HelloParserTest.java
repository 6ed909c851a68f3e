package dev.sallyport.egress;

import static dev.sallyport.egress.Hellos.bytes;
import static dev.sallyport.egress.Hellos.joined;
import static dev.sallyport.egress.Hellos.vector16;
import static dev.sallyport.egress.Hellos.vector8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.egress.ClientHello.Flaw;
import dev.sallyport.policy.HostName;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Which hellos are accepted, and that nothing about their shape on the wire changes it.
final class HelloParserTest {
    private static final int BYTES_MAX = 16_384;
    private static final String NAME = "host.example";

    private static ClientHello read(byte[] wire) {
        return new HelloParser(BYTES_MAX).read(Unpooled.wrappedBuffer(wire));
    }

    private static ClientHello read(Hellos hello) {
        return read(hello.bytes());
    }

    private static ClientHello readByteByByte(byte[] wire) {
        HelloParser parser = new HelloParser(BYTES_MAX);
        ClientHello last = new ClientHello.NeedMore();
        for (int i = 0; i < wire.length && last instanceof ClientHello.NeedMore; i++) {
            last = parser.read(Unpooled.wrappedBuffer(wire, i, 1));
        }
        return last;
    }

    private static void assertFlaw(ClientHello hello, Flaw flaw) {
        assertThat(hello).isEqualTo(new ClientHello.Bad(flaw));
    }

    private static void assertNames(ClientHello hello, String name) {
        assertThat(hello)
                .isInstanceOfSatisfying(
                        ClientHello.Hello.class,
                        good -> assertThat(good.serverName()).isEqualTo(new HostName(name)));
    }

    @Test
    void readsNameAndProtocols() {
        byte[] wire = Hellos.of(NAME);
        assertThat(read(wire))
                .isEqualTo(
                        new ClientHello.Hello(
                                new HostName(NAME), List.of("h2", "http/1.1"), wire.length));
    }

    @Test
    void e17_readsTheSameHoweverItIsCutIntoSegmentsAndRecords() {
        for (List<Integer> records :
                List.of(
                        List.of(1),
                        List.of(2),
                        List.of(3, 1),
                        List.of(4),
                        List.of(5),
                        List.of(40, 1, 2, 3),
                        List.of(100))) {
            byte[] wire = Hellos.naming(NAME).inRecords(records);
            assertNames(read(wire), NAME);
            assertThat(readByteByByte(wire)).isEqualTo(read(wire));
        }
    }

    @Test
    void waitsForTheLastByte() {
        byte[] wire = Hellos.naming(NAME).inRecords(List.of(50));
        for (int length = 0; length < wire.length; length++) {
            assertThat(read(Arrays.copyOf(wire, length)))
                    .as("%d bytes", length)
                    .isEqualTo(new ClientHello.NeedMore());
        }
    }

    /// What follows is not part of it, and is left to whoever comes next.
    @Test
    void leavesWhatWasSentAhead() {
        byte[] wire = Hellos.of(NAME);
        ByteBuf in = Unpooled.wrappedBuffer(wire, bytes(23, 3, 3, 0, 1, 0));
        assertNames(new HelloParser(BYTES_MAX).read(in), NAME);
        assertThat(in.readableBytes()).isEqualTo(6);
    }

    @Test
    void foldsTheCaseOfAsciiOnly() {
        assertNames(read(Hellos.naming("HOST.Example")), NAME);
        assertFlaw(read(Hellos.naming("host.e\u00c4mple")), Flaw.BAD_NAME);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "host",
                "host.example.",
                ".host.example",
                "host..example",
                "host.example\u0000.evil.example",
                "host.example\u0000",
                "host.example\n",
                "\u001b[31mhost.example",
                "host.example ",
                " host.example",
                "127.0.0.1",
                "0x7f.1",
                "0177.0.0.1",
                "2130706433",
                "127.1",
                "[::1]",
                "::1",
                "::ffff:192.0.2.1",
                "fe80::1%eth0",
                "host.example:443",
                "user@host.example",
                "host.example/",
                "host%2eexample",
                "h\u00f6st.example",
                "host_name.example",
                "-host.example"
            })
    void e2_e7_e8_acceptsOneSpellingOfANameOnly(String name) {
        assertFlaw(read(Hellos.naming(name)), Flaw.BAD_NAME);
    }

    @Test
    void e3_wantsExactlyOneName() {
        assertFlaw(read(Hellos.naming(NAME).withoutName()), Flaw.NO_NAME);
        assertFlaw(read(Hellos.naming(NAME).body(Hellos.opening())), Flaw.NO_NAME);
        assertFlaw(
                read(Hellos.naming(NAME).withName(Hellos.serverNames(NAME, "evil.example"))),
                Flaw.BAD_NAME);
        assertFlaw(
                read(Hellos.naming(NAME).withName(Hellos.serverNames(NAME, NAME))), Flaw.BAD_NAME);
        byte[] other = vector16(joined(bytes(1), vector16(NAME.getBytes(StandardCharsets.UTF_8))));
        assertFlaw(read(Hellos.naming(NAME).withName(other)), Flaw.BAD_NAME);
        assertFlaw(read(Hellos.naming(NAME).withName(vector16(new byte[0]))), Flaw.MALFORMED);
    }

    @Test
    void e3_refusesTheSameExtensionTwice() {
        byte[] once = Hellos.naming(NAME).extensionBytes();
        for (String second : List.of(NAME, "evil.example")) {
            byte[] twice = joined(bytes(0, 0), vector16(Hellos.serverNames(second)), once);
            byte[] body = joined(Hellos.opening(), vector16(twice));
            assertFlaw(read(Hellos.naming(NAME).body(body)), Flaw.MALFORMED);
        }
    }

    /// The real name would be inside, where nobody sees it.
    @ParameterizedTest
    @ValueSource(ints = {0xfe0d, 0xfe0c, 0xfe0a, 0xfe09, 0xfe08, 0xff02, 0xffce, 0xfd00})
    void p7_refusesEncryptedHellos(int type) {
        assertFlaw(read(Hellos.naming(NAME).with(type, new byte[8])), Flaw.HIDDEN_NAME);
    }

    @Test
    void e17_refusesEarlyData() {
        assertFlaw(read(Hellos.naming(NAME).with(42, new byte[0])), Flaw.EARLY_DATA);
    }

    /// Resumption is allowed: its hello names the host as any other does.
    @Test
    void e17_readsTheNameOfAResumption() {
        assertNames(read(Hellos.naming(NAME).with(35, new byte[64])), NAME);
        assertNames(read(Hellos.naming(NAME).with(41, new byte[64])), NAME);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: host.example\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "SSH-2.0-OpenSSH_9.2\r\n",
                "CONNECT host.example:443 HTTP/1.1\r\n",
                "\u0000\u0000\u0000\u0010",
                "\u0080.\u0001\u0003\u0001\u0000\u0015",
                "\u0015\u0003\u0003\u0000\u0002\u0002(",
                "\u0017\u0003\u0003\u0000\u0001\u0000",
                "\u0016\u0002\u0000",
                "\u0016\u0003\u0000",
                "\u0016\u0003\u0004",
                "\u0016\u00fe\u00fd"
            })
    void e4_tellsOtherProtocolsAtOnce(String text) {
        byte[] wire = text.getBytes(StandardCharsets.ISO_8859_1);
        assertFlaw(read(wire), Flaw.NOT_TLS);
        assertFlaw(readByteByByte(wire), Flaw.NOT_TLS);
    }

    @Test
    void e4_refusesOtherHandshakeMessagesAndOldVersions() {
        byte[] serverHello = Hellos.naming(NAME).message();
        serverHello[0] = 2;
        assertFlaw(read(Hellos.inRecords(serverHello, List.of(100))), Flaw.NOT_TLS);
        byte[] ssl3 = Hellos.naming(NAME).message();
        ssl3[5] = 0;
        assertFlaw(read(Hellos.inRecords(ssl3, List.of(100))), Flaw.NOT_TLS);
        byte[] interrupted =
                joined(
                        Hellos.inRecords(new byte[] {1, 0, 1}, List.of(3)),
                        bytes(20, 3, 3, 0, 1, 1));
        assertFlaw(read(interrupted), Flaw.NOT_TLS);
    }

    @Test
    void refusesLengthsThatDoNotAddUp() {
        byte[] good = Hellos.naming(NAME).message();
        // Every two bytes in turn, wherever a length may be.
        long accepted =
                IntStream.range(4, good.length - 1)
                        .filter(i -> !isContent(i, good))
                        .filter(
                                i -> {
                                    byte[] bent = good.clone();
                                    bent[i] ^= 0x40;
                                    return read(Hellos.inRecords(bent, List.of(16_384)))
                                            instanceof ClientHello.Hello;
                                })
                        .count();
        assertThat(accepted).isZero();
    }

    /// Bytes of a fixed-size field or of a value that the parser does not judge.
    private static boolean isContent(int i, byte[] message) {
        int opening = 4 + Hellos.opening().length;
        boolean lengthBeforeExtensions = i == 38 || i == 71 || i == 72 || i == 77;
        if (i < opening) {
            return !lengthBeforeExtensions;
        }
        int at = opening + 2;
        while (at < message.length) {
            int length = (message[at + 2] & 0xff) << 8 | (message[at + 3] & 0xff);
            if (i < at + 4) {
                return i < at + 2;
            }
            if (i < at + 4 + length) {
                return true;
            }
            at += 4 + length;
        }
        return false;
    }

    @Test
    void refusesWhatIsLeftOver() {
        byte[] extensions = Hellos.naming(NAME).extensionBytes();
        byte[] afterExtensions = joined(Hellos.opening(), vector16(extensions), bytes(0));
        assertFlaw(read(Hellos.naming(NAME).body(afterExtensions)), Flaw.MALFORMED);
        byte[] name = Hellos.serverNames(NAME);
        assertFlaw(read(Hellos.naming(NAME).withName(joined(name, bytes(0)))), Flaw.MALFORMED);
        byte[] sharing =
                Hellos.inRecords(joined(Hellos.naming(NAME).message(), bytes(1)), List.of(500));
        assertFlaw(read(sharing), Flaw.MALFORMED);
    }

    @Test
    void refusesEmptyAndOversizedParts() {
        assertFlaw(read(bytes(22, 3, 1, 0, 0)), Flaw.MALFORMED);
        assertFlaw(read(bytes(22, 3, 1, 0x40, 1)), Flaw.MALFORMED);
        assertFlaw(read(joined(bytes(22, 3, 1, 0, 4), bytes(1, 0, 0, 0))), Flaw.MALFORMED);
        byte[] extensions = vector16(Hellos.naming(NAME).extensionBytes());
        for (byte[] opening :
                List.of(opening(33, 2, 1), opening(0, 0, 1), opening(0, 3, 1), opening(0, 2, 0))) {
            assertFlaw(read(Hellos.naming(NAME).body(joined(opening, extensions))), Flaw.MALFORMED);
        }
        assertNames(read(Hellos.naming(NAME).body(joined(opening(0, 2, 1), extensions))), NAME);
        for (byte[] protocols : List.of(vector16(new byte[0]), Hellos.protocols("h2", ""))) {
            assertFlaw(read(Hellos.naming(NAME).with(Hellos.ALPN, protocols)), Flaw.MALFORMED);
        }
    }

    private static byte[] opening(int sessionId, int suites, int compressions) {
        return joined(
                bytes(3, 1),
                new byte[32],
                vector8(new byte[sessionId]),
                vector16(new byte[suites]),
                vector8(new byte[compressions]));
    }

    @Test
    void takesALargeHelloAndNoLargerOne() {
        assertNames(read(Hellos.naming(NAME).padded(15_000)), NAME);
        assertFlaw(read(Hellos.naming(NAME).padded(16_300)), Flaw.TOO_LARGE);
        byte[] wire = Hellos.naming(NAME).inRecords(List.of(1));
        assertNames(new HelloParser(wire.length).read(Unpooled.wrappedBuffer(wire)), NAME);
        assertFlaw(
                new HelloParser(wire.length - 1).read(Unpooled.wrappedBuffer(wire)),
                Flaw.TOO_LARGE);
        // A claim is enough; nothing is kept for it.
        assertFlaw(read(bytes(22, 3, 1, 0, 9, 1, 0xff, 0xff, 0xff)), Flaw.TOO_LARGE);
    }
}
