package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Rules whose connections wait for a person.
class AskingRuleTest {
    private static final HostName HOST = new HostName("a.example");
    private static final EgressRule TUNNEL =
            new EgressRule(
                    new HostPattern(HostPattern.Breadth.EXACT, HOST),
                    EgressRule.PORTS,
                    Reach.PUBLIC,
                    Optional.empty(),
                    "test");
    private static final EgressRule ASKING = TUNNEL.asking("test");

    private static Egress of(EgressRule rule) {
        return new Egress(List.of(rule), false);
    }

    @Test
    void aQuestionIsAddedAndNeverTakenAway() {
        EgressRule inspected =
                new EgressRule(
                        TUNNEL.host(),
                        TUNNEL.ports(),
                        TUNNEL.reach(),
                        Optional.of(Inspection.NOTHING),
                        "test");
        for (Egress left :
                List.of(
                        Narrowing.of(of(ASKING), of(TUNNEL)),
                        Narrowing.of(of(TUNNEL), of(ASKING)),
                        Narrowing.of(of(ASKING), of(inspected)))) {
            assertThat(left.rules()).hasSize(1).allMatch(EgressRule::ask);
        }
        assertThat(Narrowing.of(of(ASKING), of(ASKING))).isEqualTo(of(ASKING));
        assertThat(Narrowing.of(of(TUNNEL), of(TUNNEL)).rules()).noneMatch(EgressRule::ask);
    }

    @Test
    void theDigestTellsThemApart() {
        SessionId session = new SessionId("0123456789abcdef");
        assertThat(new Policy(session, List.of(), of(ASKING)).digest())
                .isNotEqualTo(new Policy(session, List.of(), of(TUNNEL)).digest());
    }

    @Test
    void nobodyIsAskedAboutAPlainTunnel() {
        EgressRule plain = EgressRule.tcp(HOST, 5432, Reach.PUBLIC, "test");
        assertThatThrownBy(() -> plain.asking("test")).isInstanceOf(IllegalArgumentException.class);
    }
}
