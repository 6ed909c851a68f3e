package dev.sallyport.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Usage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// How much an allowed host can carry, and what a session cannot do to get more.
final class EgressBudgetTest {
    private static final SessionId SESSION = new SessionId("00000000000000aa");
    private static final HostName ONE = new HostName("one.example");
    private static final HostName TWO = new HostName("two.example");

    private final List<Usage> reported = new ArrayList<>();

    /// Up and down 100 and 1,000 bytes, per host 60 and 600; 5 requests; 2 connections per host; 3
    /// names.
    private EgressBudget budget(Usage spent) {
        return new EgressBudget(
                SESSION,
                new Limits.Egress(100, 1_000, 60, 600, 5, 2, 3, 16_384, 10, 600, 86_400),
                spent,
                (session, used) -> {
                    assertThat(session).isEqualTo(SESSION);
                    reported.add(used);
                });
    }

    private Usage total() {
        return reported.stream().reduce(Usage.NONE, Usage::plus);
    }

    @Test
    void grantsUpToTheLastByteAndNotOneMore() {
        try (EgressUse use = budget(Usage.NONE).open(ONE).orElseThrow()) {
            assertThat(use.up(60)).isTrue();
            assertThat(use.up(1)).isFalse();
            assertThat(use.down(600)).isTrue();
            assertThat(use.down(1)).isFalse();
            assertThat(use.bytesUp()).isEqualTo(60);
            assertThat(use.bytesDown()).isEqualTo(600);
        }
    }

    @Test
    void countsNothingOfWhatItRefuses() {
        try (EgressUse use = budget(Usage.NONE).open(ONE).orElseThrow()) {
            assertThat(use.up(61)).isFalse();
            assertThat(use.up(60)).isTrue();
        }
        assertThat(total()).isEqualTo(new Usage(0, 60, 0));
    }

    @Test
    void sharesOneBudgetAmongHostsAndConnections() {
        EgressBudget budget = budget(Usage.NONE);
        EgressUse first = budget.open(ONE).orElseThrow();
        EgressUse second = budget.open(ONE).orElseThrow();
        EgressUse other = budget.open(TWO).orElseThrow();
        assertThat(first.up(40)).isTrue();
        assertThat(second.up(21)).isFalse();
        assertThat(second.up(20)).isTrue();
        assertThat(other.up(41)).isFalse();
        assertThat(other.up(40)).isTrue();
        assertThat(budget.open(TWO)).as("nothing is left to send").isEmpty();
    }

    @Test
    void startsWhereTheSessionWas() {
        EgressBudget budget = budget(new Usage(4, 99, 999));
        EgressUse use = budget.open(ONE).orElseThrow();
        assertThat(use.up(2)).isFalse();
        assertThat(use.down(2)).isFalse();
        assertThat(use.request()).isTrue();
        assertThat(use.request()).isFalse();
        assertThat(budget(new Usage(5, 0, 0)).open(ONE)).isEmpty();
        assertThat(budget(new Usage(0, 100, 0)).open(ONE)).isEmpty();
        assertThat(budget(new Usage(0, 0, 1_000)).open(ONE)).isEmpty();
    }

    @Test
    void givesBackAConnectionOnce() {
        EgressBudget budget = budget(Usage.NONE);
        EgressUse first = budget.open(ONE).orElseThrow();
        assertThat(budget.open(ONE)).isPresent();
        assertThat(budget.open(ONE)).isEmpty();
        first.close();
        first.close();
        assertThat(budget.open(ONE)).isPresent();
        assertThat(budget.open(ONE)).isEmpty();
    }

    /// Names below a wildcard can be invented without end.
    @Test
    void keepsCountOfSoManyNamesOnly() {
        EgressBudget budget = budget(Usage.NONE);
        for (int i = 0; i < 3; i++) {
            budget.open(new HostName("n" + i + ".example")).orElseThrow().close();
        }
        assertThat(budget.open(new HostName("n4.example"))).isEmpty();
        assertThat(budget.open(new HostName("n0.example"))).isPresent();
    }

    @Test
    void reportsAtTheLatestWhenAConnectionEnds() {
        EgressUse use = budget(Usage.NONE).open(ONE).orElseThrow();
        assertThat(use.request()).isTrue();
        assertThat(use.up(10)).isTrue();
        use.report();
        assertThat(total()).isEqualTo(new Usage(1, 10, 0));
        assertThat(use.down(7)).isTrue();
        use.close();
        assertThat(total()).isEqualTo(new Usage(1, 10, 7));
    }

    @Test
    void reportsWhileBytesFlow() {
        EgressBudget budget =
                new EgressBudget(
                        SESSION,
                        Limits.standard().egress(),
                        Usage.NONE,
                        (_, used) -> reported.add(used));
        EgressUse use = budget.open(ONE).orElseThrow();
        for (int i = 0; i < 64; i++) {
            assertThat(use.down(65_536)).isTrue();
        }
        assertThat(reported).hasSizeGreaterThanOrEqualTo(4);
        use.close();
        assertThat(total()).isEqualTo(new Usage(0, 0, 64 * 65_536));
    }
}
