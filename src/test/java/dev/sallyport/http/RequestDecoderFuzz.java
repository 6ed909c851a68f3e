package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Cut;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

final class RequestDecoderFuzz {
    /// Writes down what the decoder says; pieces that follow each other are one.
    private static final class Log extends ChannelInboundHandlerAdapter {
        private final List<String> lines = new ArrayList<>();
        private final StringBuilder body = new StringBuilder();
        private boolean over;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            assertThat(over).as("something follows a fault").isFalse();
            switch ((Inbound) message) {
                case Inbound.Begun _ -> lines.add("begun");
                case Inbound.Head(RequestHead head) -> lines.add(checked(head));
                case Inbound.Piece(ByteBuf bytes) ->
                        body.append(new String(Cut.drained(bytes), StandardCharsets.ISO_8859_1));
                case Inbound.Trailers(var fields) -> lines.add(checked(fields));
                case Inbound.End _ -> lines.add("end " + body());
                case Inbound.Refused(var refusal, _) -> fault("refused " + refusal);
                case Inbound.Ambiguous _ -> fault("ambiguous");
            }
        }

        private void fault(String line) {
            lines.add(body());
            lines.add(line);
            over = true;
        }

        private String body() {
            String text = body.toString();
            body.setLength(0);
            return text;
        }

        private static String checked(RequestHead head) {
            assertThat(head.method()).matches("[A-Z-]+");
            boolean connect = head.method().equals("CONNECT") && head.authority().isPresent();
            assertThat(head.path()).matches(connect ? "" : "/[!-~]*");
            assertThat(head.query()).matches("[!-~]*");
            assertThat(head.authority().orElse("")).matches("[!-~&&[^A-Z]]*");
            assertThat(head.host()).isNotEmpty().matches("[!-~]+");
            checked(head.fields());
            return head.toString();
        }

        private static String checked(Map<String, String> fields) {
            fields.forEach((name, value) -> assertThat(name + value).matches("[\t -~]*"));
            return fields.toString();
        }
    }

    @FuzzTest
    void readsTheSameHoweverItArrives(byte[] input) {
        Cut cut = Cut.of(input);
        long held = Cut.held();
        for (HeadForm form : HeadForm.values()) {
            assertThat(read(cut.pieces(), form)).isEqualTo(read(cut.whole(), form));
        }
        assertThat(Cut.held()).isEqualTo(held);
    }

    private static List<String> read(List<ByteBuf> pieces, HeadForm form) {
        RequestDecoder decoder = new RequestDecoder(Limits.standard().http(), form);
        Log log = new Log();
        EmbeddedChannel channel = new EmbeddedChannel(decoder, log);
        decoder.demand(true);
        pieces.forEach(channel::writeInbound);
        channel.finishAndReleaseAll();
        log.lines.add(log.body());
        return log.lines;
    }
}
