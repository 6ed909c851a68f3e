package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Plain tunnels: one port of one host, for any protocol.
class TcpRuleTest {
    private static final SessionId SESSION = new SessionId("0".repeat(16));
    private static final HostName HOST = new HostName("db.example.com");
    private static final EgressRule TCP = EgressRule.tcp(HOST, 5432, Reach.PUBLIC, "test");

    private static Egress only(EgressRule rule) {
        return new Egress(List.of(rule), false);
    }

    private static EgressRule tunnel(Optional<Inspection> inspection) {
        return new EgressRule(
                TCP.host(), new TreeSet<>(Set.of(5432)), Reach.PUBLIC, inspection, "other");
    }

    private static Decision<EgressPermit> decide(Egress egress, HostName host, int port) {
        return new Policy(SESSION, List.of(), egress).decide(host, port);
    }

    private static boolean isTcp(Egress egress) {
        return decide(egress, HOST, 5432) instanceof Decision.Allow<EgressPermit>(var permit)
                && permit.isTcp();
    }

    @Test
    void allowsOnePortOfOneHost() {
        assertThat(isTcp(only(TCP))).isTrue();
        assertThat(decide(only(TCP), HOST, 5433))
                .isEqualTo(new Decision.Deny<>(Refusal.PORT_NOT_ALLOWED));
        assertThat(decide(only(TCP), new HostName("x.db.example.com"), 5432))
                .isEqualTo(new Decision.Deny<>(Refusal.NAME_NOT_ALLOWED));
        assertThat(isTcp(only(tunnel(Optional.empty())))).isFalse();
    }

    @Test
    void isNeverWiderThanThat() throws MalformedNameException {
        HostPattern wild = HostPattern.parse("*.example.com");
        TreeSet<Integer> one = new TreeSet<>(Set.of(1));
        TreeSet<Integer> two = new TreeSet<>(Set.of(1, 2));
        Optional<Inspection> nothing = Optional.of(Inspection.NOTHING);
        assertThatThrownBy(
                        () ->
                                new EgressRule(
                                        wild, one, Reach.PUBLIC, Optional.empty(), true, false, ""))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () ->
                                new EgressRule(
                                        TCP.host(),
                                        two,
                                        Reach.PUBLIC,
                                        Optional.empty(),
                                        true,
                                        false,
                                        ""))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () ->
                                new EgressRule(
                                        TCP.host(), one, Reach.PUBLIC, nothing, true, false, ""))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /// What another rule asks for holds as well, in either order.
    @Test
    void aPlainTunnelIsNarrowedToWhatTheOtherRuleAllows() {
        Egress tls = only(tunnel(Optional.empty()));
        assertThat(isTcp(Narrowing.of(only(TCP), only(TCP)))).isTrue();
        for (Egress left : List.of(Narrowing.of(only(TCP), tls), Narrowing.of(tls, only(TCP)))) {
            assertThat(isTcp(left)).isFalse();
            assertThat(decide(left, HOST, 5432)).isInstanceOf(Decision.Allow.class);
        }
        Egress inspected = only(tunnel(Optional.of(Inspection.NOTHING)));
        Egress left = Narrowing.of(only(TCP), inspected);
        assertThat(left.rules()).hasSize(1).allMatch(rule -> rule.inspection().isPresent());
        Reach dialled = new Reach(false, Optional.of("10.0.0.1:5432"), Optional.empty());
        Egress elsewhere = only(EgressRule.tcp(HOST, 5432, dialled, "test"));
        assertThat(isTcp(Narrowing.of(only(TCP), elsewhere))).isFalse();
        assertThat(Narrowing.of(only(TCP), Egress.NONE).rules()).isEmpty();
    }

    @Test
    void isInTheDigest() {
        String plain = new Policy(SESSION, List.of(), only(TCP)).digest();
        String tls = new Policy(SESSION, List.of(), only(tunnel(Optional.empty()))).digest();
        assertThat(plain).isNotEqualTo(tls);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "db.example.com",
                "db.example.com:",
                "db.example.com:0",
                "db.example.com:05432",
                "db.example.com:65536",
                "*.example.com:5432",
                "10.0.0.1:5432",
                "[::1]:5432",
                "DB.example.com:5432",
                "localhost:5432",
                "db.example.com:5432:1"
            })
    void hasOneSpelling(String text) {
        assertThatThrownBy(() -> TcpTarget.parse(text)).isInstanceOf(MalformedNameException.class);
    }

    @Test
    void isWrittenAsHostAndPort() throws MalformedNameException {
        assertThat(TcpTarget.parse("db.example.com:5432")).isEqualTo(new TcpTarget(HOST, 5432));
    }
}
