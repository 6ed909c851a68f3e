package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PktReaderTest {
    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    }

    @Test
    void readsPacketsByteByByte() throws Exception {
        PktReader reader = new PktReader(Refusal.MALFORMED_PUSH);
        StringBuilder seen = new StringBuilder();
        for (char c : "0009hello0004000000068\nrest".toCharArray()) {
            reader.offer(bytes(String.valueOf(c)));
            for (PktLine next = reader.poll(); next != null; next = reader.poll()) {
                switch (next) {
                    case PktLine.Flush _ -> seen.append("<flush>");
                    case PktLine.Data data ->
                            seen.append('<')
                                    .append(new String(data.line(), StandardCharsets.US_ASCII))
                                    .append('>');
                }
                if (seen.toString().endsWith("<8>")) {
                    break;
                }
            }
            if (seen.toString().endsWith("<8>")) {
                break;
            }
        }
        assertThat(seen).hasToString("<hello><><flush><8>");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0001",
                "0002",
                "0003",
                "000G",
                "00 4",
                "+004",
                "000A0123456",
                "fff1",
                "ffff",
                "PACK"
            })
    void g12RefusesOtherLengths(String text) {
        PktReader reader = new PktReader(Refusal.MALFORMED_PUSH);
        reader.offer(bytes(text));
        assertThatThrownBy(reader::poll).isInstanceOf(RefusedException.class);
        reader.release();
    }

    @Test
    void readsTheLongestPacket() throws Exception {
        PktReader reader = new PktReader(Refusal.MALFORMED_PUSH);
        reader.offer(bytes("fff0" + "x".repeat(65_516)));
        assertThat(reader.poll()).isInstanceOf(PktLine.Data.class);
        assertThat(reader.heldBytes()).isZero();
        reader.release();
    }
}
