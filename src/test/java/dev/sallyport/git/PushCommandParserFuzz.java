package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Cut;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;

final class PushCommandParserFuzz {
    private static final Limits.Git LIMITS = new Limits.Git(1 << 20, 1 << 20, 8, 2_048);
    private static final Limits.Git WIDE = new Limits.Git(1 << 20, 1 << 20, 8, 4_096);

    private record Outcome(
            boolean refused, Optional<PushCommands> commands, int bytes, String rest) {
        static final Outcome REFUSED = new Outcome(true, Optional.empty(), 0, "");
    }

    @FuzzTest
    void whatIsJudgedIsWhatIsSent(byte[] input) {
        Cut cut = Cut.of(input);
        long held = Cut.held();
        Outcome outcome = parse(cut.pieces(), LIMITS);
        assertThat(outcome).isEqualTo(parse(cut.whole(), LIMITS));
        outcome.commands().ifPresent(commands -> assertSound(commands, outcome.bytes()));
        assertThat(Cut.held()).isEqualTo(held);
    }

    private static void assertSound(PushCommands commands, int bytes) {
        if (commands.excess() || !commands.misnamed().isEmpty()) {
            assertThat(commands.isProbe()).isFalse();
            return;
        }
        assertThat(bytes).isLessThanOrEqualTo(LIMITS.pushCommandBytesMax());
        assertThat(commands.updates()).hasSizeLessThanOrEqualTo(LIMITS.pushCommandsMax());
        assertThat(commands.updates()).extracting(RefUpdate::ref).doesNotHaveDuplicates();
        if (commands.isProbe()) {
            assertThat(commands.capabilities()).isEmpty();
        } else {
            assertThat(Set.copyOf(CapabilitiesFuzz.ALLOWED)).containsAll(commands.capabilities());
        }
        assertThat(parse(List.of(commands.serialise()), WIDE).commands()).contains(commands);
    }

    private static Outcome parse(List<ByteBuf> pieces, Limits.Git limits) {
        PushCommandParser parser = new PushCommandParser(limits, false);
        Optional<PushCommands> commands = Optional.empty();
        boolean refused = false;
        StringBuilder behind = new StringBuilder();
        for (ByteBuf piece : pieces) {
            if (refused || commands.isPresent()) {
                behind.append(piece.toString(StandardCharsets.ISO_8859_1));
                piece.release();
                continue;
            }
            try {
                commands = parser.accept(piece);
            } catch (RefusedException e) {
                assertThat(e.refusal()).isEqualTo(Refusal.MALFORMED_PUSH);
                refused = true;
            }
        }
        ByteBuf rest = parser.rest().rest();
        String all = rest.toString(StandardCharsets.ISO_8859_1) + behind;
        rest.release();
        parser.release();
        return refused ? Outcome.REFUSED : new Outcome(false, commands, parser.bytes(), all);
    }
}
