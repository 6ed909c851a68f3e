package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.fixture.Cut;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

final class ReportScrubberFuzz {
    private static final Pattern CONTROL =
            Pattern.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]|\\xc2[\\x80-\\x9f]");

    @FuzzTest
    void noControlByteReachesTheTerminal(byte[] input) {
        Cut cut = Cut.of(input);
        long held = Cut.held();
        boolean sideband = cut.flag();
        Optional<String> out =
                FilterRun.through(new ReportScrubber(sideband, new UpstreamReport()), cut.pieces());
        assertThat(out)
                .isEqualTo(
                        FilterRun.through(
                                new ReportScrubber(sideband, new UpstreamReport()), cut.whole()));
        out.ifPresent(wire -> assertSound(sideband, cut.body(), wire));
        assertThat(Cut.held()).isEqualTo(held);
    }

    private static void assertSound(boolean sideband, byte[] in, String wire) {
        assertThat(wire).hasSize(in.length);
        String before = new String(in, StandardCharsets.ISO_8859_1);
        assertThat(lengths(wire)).isEqualTo(lengths(before));
        StringBuilder onTerminal = new StringBuilder();
        StringBuilder report = new StringBuilder();
        for (String payload : FilterRun.payloads(wire)) {
            boolean banded = sideband && !payload.isEmpty();
            (banded && payload.charAt(0) == 1 ? report : onTerminal)
                    .append(payload, banded ? 1 : 0, payload.length());
        }
        assertThat(onTerminal).doesNotContainPattern(CONTROL);
        assertThat(report).doesNotContainPattern(CONTROL);
    }

    private static List<Integer> lengths(String wire) {
        return FilterRun.payloads(wire).stream().map(String::length).toList();
    }
}
