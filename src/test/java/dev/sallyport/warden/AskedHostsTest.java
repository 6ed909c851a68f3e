package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.SealedFiles;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.control.Api;
import dev.sallyport.fixture.Grants;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Hosts that are allowed one connection at a time.
class AskedHostsTest {
    private static final SessionId SESSION = new SessionId("0123456789abcdef");

    @TempDir Path directory;
    private ReachRequests requests;

    @BeforeEach
    void read() throws IOException {
        PolicyFile policy = PolicyFile.load(directory.resolve("policy.yaml"));
        requests =
                new ReachRequests(
                        () -> policy,
                        new SecretFiles(
                                new SealedFiles(directory.resolve("secrets"), Optional.empty())));
    }

    private static Api.Allow asking(String... hosts) {
        return new Api.Allow(List.of(hosts), List.of(), true);
    }

    private static boolean asks(Egress egress, String host) {
        return switch (new Policy(SESSION, List.of(), egress).decide(new HostName(host), 443)) {
            case Decision.Allow(var permit) -> permit.asks();
            case Decision.Deny(var reason) -> throw new AssertionError(reason);
        };
    }

    @Test
    void aHostIsAllowedOnceOrAltogetherAndTheLaterWordCounts() throws Exception {
        Egress once = requests.widen(Egress.NONE, asking("a.example.com", "b.example.com"));
        assertThat(asks(once, "a.example.com")).isTrue();
        assertThat(once.rules()).allMatch(rule -> rule.inspection().isEmpty());
        assertThat(requests.widen(once, asking("a.example.com"))).isEqualTo(once);

        Egress whole =
                requests.widen(once, new Api.Allow(List.of("a.example.com"), List.of(), false));
        assertThat(asks(whole, "a.example.com")).isFalse();
        assertThat(asks(whole, "b.example.com")).isTrue();
        assertThatThrownBy(() -> requests.widen(whole, asking("a.example.com")))
                .hasMessageContaining("allowed already");
        assertThatThrownBy(
                        () ->
                                requests.widen(
                                        whole,
                                        new Api.Allow(
                                                List.of(), List.of("db.example.com:5432"), true)))
                .hasMessageContaining("plain tunnel");
    }

    /// A rule for the same host in policy.yaml gives the right another origin.
    @Test
    void whatAsksIsKnownByItsQuestionAndNotByItsOrigin() throws Exception {
        Egress filed =
                new Egress(
                        requests.widen(Egress.NONE, asking("a.example.com")).rules().stream()
                                .map(rule -> rule.asking("policy.yaml:3"))
                                .toList(),
                        false);
        assertThat(asks(requests.widen(filed, asking("a.example.com")), "a.example.com")).isTrue();
        Api.Allow altogether = new Api.Allow(List.of("a.example.com"), List.of(), false);
        assertThat(asks(requests.widen(filed, altogether), "a.example.com")).isFalse();
    }

    /// G16 and P2: with a question in front it is still a tunnel.
    @Test
    void whatCannotBeTunnelledToCannotBeAskedAbout() throws Exception {
        EgressRule filed = Grants.unusualEgress("api.example.com").toRule();
        Egress present = new Egress(List.of(filed), false);
        for (String host : List.of("github.com", "api.example.com:8443")) {
            assertThatThrownBy(() -> requests.widen(present, asking(host)))
                    .isInstanceOf(OperationException.class);
        }
    }
}
