package dev.sallyport.egress;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// P7: bent hellos. Whatever of them is accepted names the same host to another reader, however the
/// bytes were cut; so no server behind the gateway sees a name that was not judged.
final class HelloMutationTest {
    private static final int ROUNDS = 3_000;
    private static final int BYTES_MAX = 16_384;

    private static byte[] bent(Random random) {
        Hellos hello = Hellos.naming(random.nextBoolean() ? "host.example" : "a.HOST.example");
        byte[] message = hello.message();
        for (int i = random.nextInt(3); i > 0; i--) {
            // Most of what matters stands at the end, in the extensions.
            int at =
                    message.length - 1 - random.nextInt(random.nextBoolean() ? 80 : message.length);
            message[Math.max(0, at)] = (byte) random.nextInt(random.nextBoolean() ? 4 : 256);
        }
        if (random.nextInt(8) == 0) {
            message = Arrays.copyOf(message, message.length + 1 - random.nextInt(3));
        }
        List<Integer> records = List.of(1 + random.nextInt(300), 1 + random.nextInt(300));
        return Hellos.inRecords(message, records);
    }

    @Test
    void p7_e17_agreesWithAnotherReaderAboutEveryHelloThatItAccepts() {
        Random random = new Random(7);
        int accepted = 0;
        int compared = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] wire = bent(random);
            ClientHello whole = read(wire, wire.length);
            assertThat(read(wire, 1 + random.nextInt(50))).isEqualTo(whole);
            if (whole instanceof ClientHello.Hello hello) {
                accepted++;
                Optional<String> other = SecondReader.nameIn(wire);
                compared += other.isPresent() ? 1 : 0;
                other.ifPresent(name -> assertThat(name).isEqualTo(hello.serverName().value()));
            }
        }
        assertThat(accepted).isBetween(ROUNDS / 10, ROUNDS * 9 / 10);
        assertThat(compared).as("hellos that both read").isGreaterThan(accepted / 2);
    }

    private static ClientHello read(byte[] wire, int piece) {
        HelloParser parser = new HelloParser(BYTES_MAX);
        ClientHello last = new ClientHello.NeedMore();
        for (int at = 0; at < wire.length && last instanceof ClientHello.NeedMore; at += piece) {
            int length = Math.min(piece, wire.length - at);
            last = parser.read(Unpooled.wrappedBuffer(wire, at, length));
        }
        return last;
    }
}
