package dev.sallyport.dns;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

final class DnsQueryFuzz {
    @FuzzTest
    void answersOnlyWhatWasAsked(byte[] input) {
        switch (DnsQuery.read(Unpooled.wrappedBuffer(input))) {
            case DnsQuery.Reading.Asked(DnsQuery query) -> assertSound(query, input);
            case DnsQuery.Reading.Faulty(int id, int opcode, _) -> {
                assertThat(id).isEqualTo((input[0] & 0xff) << 8 | (input[1] & 0xff));
                assertThat(opcode).isEqualTo(input[2] >> 3 & 0xf);
            }
            case DnsQuery.Reading.Silent _ ->
                    assertThat(input.length < DnsQuery.HEADER_BYTES || input[2] < 0).isTrue();
        }
    }

    private static void assertSound(DnsQuery query, byte[] input) {
        String message = new String(input, StandardCharsets.ISO_8859_1);
        DnsQuery.Question question = query.question();
        assertThat(message.substring(DnsQuery.HEADER_BYTES)).startsWith(question.wire());
        assertThat(question.name()).hasSizeLessThan(255).matches("[a-z0-9_.-]*");
        assertThat(question.wire())
                .hasSize(question.name().isEmpty() ? 5 : 6 + question.name().length());
        if (!query.edns()) {
            assertThat(input).hasSize(DnsQuery.HEADER_BYTES + question.wire().length());
        }
    }
}
