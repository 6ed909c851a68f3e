package dev.sallyport.lfs;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.fixture.Cut;
import dev.sallyport.relay.RefusedException;
import java.util.List;
import java.util.Set;

final class LocksFuzz {
    private static final Set<String> ASKED = Set.of("cursor", "limit", "ref");
    private static final Set<String> SAID =
            Set.of(
                    "ours",
                    "theirs",
                    "locks",
                    "next_cursor",
                    "id",
                    "path",
                    "locked_at",
                    "owner",
                    "name");

    /// G26: whatever a sandbox or a git host says about locks, what goes on has known members with
    /// bounded texts in it and nothing else, and reads back as itself.
    @FuzzTest
    void whatGoesOnIsWrittenAnew(byte[] input) throws RefusedException {
        Cut cut = Cut.of(input);
        try {
            byte[] question = LocksExchange.question(cut.body());
            ObjectNode asked = LfsJson.JSON.read(question).orElseThrow();
            assertThat(asked.fieldNames()).toIterable().isSubsetOf(ASKED);
            assertThat(LocksExchange.question(question)).isEqualTo(question);
        } catch (RefusedException _) {
            assertThat(LfsJson.JSON.read(cut.body())).isEmpty();
        }
        LfsJson.JSON.read(cut.body()).ifPresent(said -> check(said, cut.flag()));
    }

    private static void check(ObjectNode said, boolean verify) {
        ObjectNode listed = LocksExchange.listed(said, verify);
        checkMembers(listed);
        for (String list : List.of("ours", "theirs", "locks")) {
            assertThat(listed.path(list).size()).isLessThanOrEqualTo(10_000);
        }
        ObjectNode again = LfsJson.JSON.read(LfsJson.JSON.bytes(listed)).orElseThrow();
        assertThat(LocksExchange.listed(again, verify)).isEqualTo(listed);
    }

    private static void checkMembers(JsonNode node) {
        node.properties()
                .forEach(
                        member -> {
                            assertThat(member.getKey()).isIn(SAID);
                            checkMembers(member.getValue());
                        });
        if (node.isArray()) {
            node.forEach(LocksFuzz::checkMembers);
        }
        assertThat(node.asText("")).hasSizeLessThanOrEqualTo(4_096);
    }
}
