package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class ReportScrubberTest {
    private static String scrub(boolean sideband, String... packets) throws RefusedException {
        ReportScrubber scrubber = new ReportScrubber(sideband);
        ByteBuf in = Unpooled.buffer();
        for (String packet : packets) {
            PktLine.write(in, packet);
        }
        PktLine.writeFlush(in);
        ByteBuf out = Unpooled.buffer();
        while (in.isReadable()) {
            scrubber.accept(in.readBytes(Math.min(5, in.readableBytes())), out::writeBytes);
        }
        scrubber.finish();
        scrubber.release();
        return out.toString(StandardCharsets.UTF_8);
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
}
