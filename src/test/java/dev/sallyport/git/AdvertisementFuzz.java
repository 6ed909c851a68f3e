package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.fixture.Cut;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.RefVisibility;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

final class AdvertisementFuzz {
    private static final Set<String> SERVICE_LINES =
            Set.of("# service=git-receive-pack\n", "version 1\n", "");
    private static final Pattern REF_LINE =
            Pattern.compile(
                    "[0-9a-f]{40} (?:refs/[^\\x00- \\x7f~^:?*\\[\\\\]+|capabilities\\^\\{})");

    @FuzzTest
    void offersRefsAndWhatIsOnTheListOnly(byte[] input) {
        Cut cut = Cut.of(input);
        long held = Cut.held();
        Optional<String> out =
                FilterRun.through(
                        new Advertisement(GitService.RECEIVE_PACK, RefVisibility.all(), false),
                        cut.pieces());
        assertThat(out)
                .isEqualTo(
                        FilterRun.through(
                                new Advertisement(
                                        GitService.RECEIVE_PACK, RefVisibility.all(), false),
                                cut.whole()));
        out.ifPresent(AdvertisementFuzz::assertSound);
        assertThat(Cut.held()).isEqualTo(held);
    }

    private static void assertSound(String wire) {
        assertThat(
                        FilterRun.through(
                                new Advertisement(
                                        GitService.RECEIVE_PACK, RefVisibility.all(), false),
                                List.of(FilterRun.wire(wire))))
                .as("what was rewritten needs no rewriting")
                .contains(wire);
        List<String> offers = new ArrayList<>();
        for (String payload : FilterRun.payloads(wire)) {
            if (!SERVICE_LINES.contains(payload)) {
                offers.addAll(checkRefLine(payload));
            }
        }
        assertThat(offers).hasSize(1);
        List<String> words = new ArrayList<>(List.of(offers.getFirst().split(" ", -1)));
        assertThat(words.remove("no-thin")).isTrue();
        assertThat(CapabilitiesFuzz.ALLOWED).containsAll(words);
    }

    private static List<String> checkRefLine(String payload) {
        assertThat(payload).endsWith("\n");
        String line = utf8(payload.substring(0, payload.length() - 1));
        int nul = line.indexOf('\0');
        assertThat(nul < 0 ? line : line.substring(0, nul)).matches(REF_LINE);
        return nul < 0 ? List.of() : List.of(line.substring(nul + 1));
    }

    private static String utf8(String latin) {
        return new String(latin.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }
}
