package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Cut;
import io.netty.buffer.ByteBuf;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// git says that a session ends soon, and otherwise the same as ever.
class EndNoticeTest {
    private static final String NOTICE = "this session ends at noon";

    @TempDir Path dir;

    @Test
    void fetchesAndPushesCarryTheNoticeAndWorkAsBefore() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.commit("a.txt", "a\n");
            assertThat(rig.push("HEAD:agent/x").ok() + rig.push("HEAD:agent/x").err())
                    .as("positive control")
                    .doesNotContain(NOTICE);
            rig.door.notices = List.of(NOTICE);

            var clone = Git.run(dir, "clone", rig.door.url("acme/app"), "second");
            assertThat(clone.exit()).as(clone.err()).isZero();
            assertThat(clone.err()).containsOnlyOnce("remote: Sallyport: " + NOTICE);
            Git.ok(dir.resolve("second"), "fsck", "--strict");
            assertThat(Git.ok(dir.resolve("second"), "ls-remote", "origin")).contains("agent/x");

            rig.commit("b.txt", "b\n");
            var push = rig.push("HEAD:agent/x");
            assertThat(push.exit()).as(push.err()).isZero();
            assertThat(push.err()).containsOnlyOnce("remote: Sallyport: " + NOTICE);
            assertThat(rig.upstream("refs/heads/agent/x"))
                    .isEqualTo(Git.ok(rig.work, "rev-parse", "HEAD"));
        }
    }

    @Test
    void aRefusedPushCarriesItToo() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.door.notices = List.of(NOTICE);
            rig.commit(".github/workflows/ci.yml", "on: never\n");
            for (String ref : List.of("main", "agent/x")) {
                var push = rig.push("HEAD:" + ref);
                assertThat(push.err())
                        .containsOnlyOnce("remote: Sallyport: " + NOTICE)
                        .contains("[remote rejected]");
            }
            assertThat(rig.pushesSent()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 1_000})
    void theLineStandsBehindThePacketWhereverTheAnswerIsCut(int size) {
        String before = "0013acknowledgment\n" + "0008NAK\n" + "0001" + "000dpackfile\n";
        String after = "0009\u0001PACK" + "0000";

        assertThat(through(before + after, size))
                .isEqualTo(before + "002a\u0002Sallyport: " + NOTICE + "\n" + after);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0008NAK\n0009\u0001PACK0000",
                "000e\u0001packfile\n0000",
                "000dpackfilx\n0000",
                "0008NAK\nPACK000dpackfile\n",
                "+00dpackfile\n",
                "fff1000dpackfile\n",
                "000dpackfi",
                ""
            })
    void anAnswerWithoutThatPacketPassesAsItIs(String wire) {
        assertThat(through(wire, 3)).isEqualTo(wire);
    }

    private static String through(String wire, int size) {
        long held = Cut.held();
        List<ByteBuf> pieces = new ArrayList<>();
        for (int at = 0; at < wire.length(); at += size) {
            pieces.add(FilterRun.wire(wire.substring(at, Math.min(wire.length(), at + size))));
        }
        String out = FilterRun.through(new FetchNotice(List.of(NOTICE)), pieces).orElseThrow();
        assertThat(Cut.held()).isEqualTo(held);
        return out;
    }
}
