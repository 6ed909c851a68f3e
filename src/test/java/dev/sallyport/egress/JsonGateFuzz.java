package dev.sallyport.egress;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.sallyport.fixture.Cut;
import dev.sallyport.fixture.GatewayWork;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

final class JsonGateFuzz {
    private static final Path WORK = GatewayWork.directory();

    private static final JsonFactory WHOLE =
            JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    @FuzzTest
    void whatPassesIsOneDocumentWithoutWhatIsDenied(byte[] input) throws Exception {
        Cut cut = Cut.of(input);
        EgressPermit permit = JsonGateTest.permit();
        long held = Cut.held();
        Optional<byte[]> pieces = passed(permit, cut.pieces());
        Optional<byte[]> whole = passed(permit, cut.whole());

        assertThat(pieces.isPresent()).isEqualTo(whole.isPresent());
        pieces.ifPresent(sent -> assertThat(sent).isEqualTo(cut.body()));
        whole.ifPresent(sent -> assertThat(sent).isEqualTo(cut.body()));
        if (whole.isPresent()) {
            assertInnocent(cut.body());
        }
        assertThat(Cut.held()).isEqualTo(held);
    }

    private static Optional<byte[]> passed(EgressPermit permit, List<ByteBuf> pieces) {
        JsonRoom room = JsonRoom.ofGateway(WORK);
        JsonGate gate = JsonGate.of(permit, room);
        ByteArrayOutputStream in = new ByteArrayOutputStream();
        Optional<byte[]> out = Optional.empty();
        boolean denied = false;
        for (ByteBuf piece : pieces) {
            if (denied) {
                piece.release();
                continue;
            }
            try {
                gate.read(piece);
                in.writeBytes(Cut.drained(piece));
            } catch (RefusedException _) {
                piece.release();
                denied = true;
            }
        }
        try {
            if (!denied) {
                out = Optional.of(JsonGateTest.without(in.toByteArray(), gate.finish()));
            }
        } catch (RefusedException _) {
            out = Optional.empty();
        }
        gate.release();
        assertThat(room.bytes()).isZero();
        return out;
    }

    /// Read by another parser: one document, and no member with a value that the rule denies.
    private static void assertInnocent(byte[] body) throws IOException {
        int documents = 0;
        try (JsonParser parser = WHOLE.createParser(body)) {
            while (parser.nextToken() != null) {
                boolean text = parser.hasToken(JsonToken.VALUE_STRING);
                boolean name = parser.hasToken(JsonToken.FIELD_NAME);
                if (text && "type".equalsIgnoreCase(parser.currentName())) {
                    assertThat(parser.getText()).isNotEqualTo("url").doesNotStartWith("web_fetch");
                }
                if (name) {
                    assertThat(parser.currentName()).isNotEqualToIgnoringCase("mcp_servers");
                }
                documents += parser.getParsingContext().inRoot() ? 1 : 0;
            }
        }
        assertThat(documents).isEqualTo(1);
    }
}
