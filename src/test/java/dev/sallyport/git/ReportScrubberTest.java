package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class ReportScrubberTest {
    private static String scrub(boolean sideband, String... packets) throws RefusedException {
        return scrub(sideband, StandardCharsets.UTF_8, packets);
    }

    /// Each character is one byte.
    private static String scrubBytes(boolean sideband, String... packets) throws RefusedException {
        return scrub(sideband, StandardCharsets.ISO_8859_1, packets);
    }

    private static String scrub(boolean sideband, Charset charset, String... packets)
            throws RefusedException {
        ReportScrubber scrubber = new ReportScrubber(sideband, new UpstreamReport());
        ByteBuf in = Unpooled.buffer();
        for (String packet : packets) {
            PktLine.write(in, packet.getBytes(charset));
        }
        PktLine.writeFlush(in);
        ByteBuf out = Unpooled.buffer();
        while (in.isReadable()) {
            scrubber.accept(in.readBytes(Math.min(5, in.readableBytes())), out::writeBytes);
        }
        scrubber.finish();
        scrubber.release();
        return out.toString(charset);
    }

    @Test
    void replacesEscapesAndKeepsTheRest() throws Exception {
        assertThat(scrub(true, "\u0002a\u001b[2Jb\u007f\u009b31m ü\tc\r\n"))
                .isEqualTo("0018\u0002a?[2Jb???31m ü\tc\r\n0000");
    }

    @Test
    void keepsAReportWellFormed() throws Exception {
        assertThat(scrub(true, "\u0001000eunpack ok\n0000"))
                .isEqualTo("0017\u0001000eunpack ok\n00000000");
        assertThat(scrub(false, "unpack ok\n", "ng refs/heads/x \u001b]0;evil\u0007\n"))
                .isEqualTo("000eunpack ok\n001eng refs/heads/x ?]0;evil?\n0000");
    }

    @Test
    void refusesAnUnknownBand() {
        assertThatThrownBy(() -> scrub(true, "\u0004x")).isInstanceOf(RefusedException.class);
        assertThatThrownBy(() -> scrub(true, "")).isInstanceOf(RefusedException.class);
    }

    @Test
    void replacesAControlThatIsCutByPackets() throws Exception {
        assertThat(scrubBytes(true, "\u0002a\u00c2", "\u0001x", "\u0002\u009b2J", "\u0003\u00a3"))
                .isEqualTo("0007\u0002a\u00c20006\u0001x0008\u0002?2J0006\u0003\u00a30000");
        assertThat(scrubBytes(false, "\u00c2", "", "\u0085")).isEqualTo("0005\u00c200040005?0000");
        assertThat(scrubBytes(false, "\u00c2", "\u00a3")).isEqualTo("0005\u00c20005\u00a30000");
    }
}
