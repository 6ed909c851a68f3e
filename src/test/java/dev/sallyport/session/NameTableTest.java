package dev.sallyport.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NameTableTest {
    private static Policy policy(List<String> hosts) throws MalformedNameException {
        List<EgressRule> rules = new ArrayList<>();
        for (String host : hosts) {
            rules.add(
                    new EgressRule(
                            HostPattern.parse(host),
                            EgressRule.PORTS,
                            Reach.PUBLIC,
                            Optional.empty(),
                            "test"));
        }
        return new Policy(new SessionId("0123456789abcdef"), List.of(), new Egress(rules, false));
    }

    @Test
    void givesEveryNameAnAddressOfItsOwnAndKnowsItAgain() throws MalformedNameException {
        Policy policy = policy(List.of("**.example.org"));
        NameTable table = new NameTable(20_000);
        List<Integer> addresses = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            HostName host = new HostName("h" + i + ".example.org");
            int address = table.addressOf(host, policy).orElseThrow();
            assertThat(table.nameOf(address, policy)).contains(host);
            addresses.add(address);
        }
        assertThat(addresses)
                .doesNotHaveDuplicates()
                .allMatch(a -> (a & 0xFFC00000) == (127 << 24 | 64 << 16));
    }

    @Test
    void namesKeepTheirAddressWhenRightsGrowAndAfterARestart() throws MalformedNameException {
        HostName host = new HostName("a.example.org");
        NameTable table = new NameTable(10);
        Optional<Integer> before = table.addressOf(host, policy(List.of("a.example.org")));

        assertThat(before).isPresent();
        assertThat(table.addressOf(host, policy(List.of("b.example.org", "*.example.org"))))
                .isEqualTo(before);
        assertThat(new NameTable(10).addressOf(host, policy(List.of("*.example.org"))))
                .isEqualTo(before);
    }

    /// E5: names below a wildcard are the sandbox's own invention.
    @Test
    void namesBelowWildcardsAreCountedAndOthersAreNot() throws MalformedNameException {
        Policy policy = policy(List.of("*.example.org", "one.example.com", "two.example.com"));
        NameTable table = new NameTable(1);

        assertThat(table.addressOf(new HostName("x.example.org"), policy)).isPresent();
        assertThat(table.addressOf(new HostName("y.example.org"), policy)).isEmpty();
        assertThat(table.addressOf(new HostName("x.example.org"), policy)).isPresent();
        assertThat(table.addressOf(new HostName("one.example.com"), policy)).isPresent();
        assertThat(table.addressOf(new HostName("two.example.com"), policy)).isPresent();
    }

    @Test
    void whatNoDoorKnowsHasNoAddress() throws MalformedNameException {
        assertThat(new NameTable(9).addressOf(new HostName("a.example.org"), policy(List.of())))
                .isEmpty();
        assertThat(new NameTable(9).nameOf(127 << 24 | 64 << 16, policy(List.of()))).isEmpty();
    }
}
