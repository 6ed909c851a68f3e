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
import dev.sallyport.session.OutwardPorts.Place;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class OutwardPortsTest {
    private static EgressRule rule(String host, Integer... ports) throws MalformedNameException {
        return new EgressRule(
                HostPattern.parse(host),
                new TreeSet<>(Arrays.asList(ports)),
                Reach.PUBLIC,
                Optional.empty(),
                "test");
    }

    private static Policy policy(EgressRule... rules) {
        return new Policy(SessionId.random(), List.of(), new Egress(List.of(rules), false));
    }

    /// The address is the one that the resolver gives for the name.
    @Test
    void areOnTheAddressOfTheirHostAndNotOnTheUsualPorts() throws Exception {
        Policy policy =
                policy(
                        rule("a.example.com", 80, 443, 8443),
                        EgressRule.tcp(new HostName("b.example.com"), 8443, Reach.PUBLIC, ""));
        List<Place> places = OutwardPorts.of(policy);
        assertThat(places).extracting(Place::port).containsExactly(8443, 8443);
        NameTable names = new NameTable(1);
        List<String> meant = new ArrayList<>();
        for (Place place : places) {
            byte[] address = InetAddress.ofLiteral(place.address()).getAddress();
            names.nameOf(ByteBuffer.wrap(address).getInt(), policy)
                    .ifPresent(name -> meant.add(name.value()));
        }
        assertThat(meant).containsExactly("a.example.com", "b.example.com");
    }

    @Test
    void areOnAllAddressesForAWildcardButNeverInPlaceOfTheProxyOrTheResolver() throws Exception {
        assertThat(
                        OutwardPorts.of(
                                policy(
                                        rule("a.example.com", 8443, 3128),
                                        rule("*.example.org", 8443, 3128, 53))))
                .hasSize(2)
                .contains(new Place("0.0.0.0", 8443))
                .noneMatch(place -> place.address().equals("0.0.0.0") && place.port() != 8443);
    }

    @Test
    void areLimited() throws Exception {
        Integer[] many = new Integer[1_000];
        Arrays.setAll(many, i -> 10_000 + i);
        assertThat(OutwardPorts.of(policy(rule("a.example.com", many))))
                .hasSize(OutwardPorts.COUNT_MAX);
        assertThat(OutwardPorts.of(policy(rule("a.example.com", 80, 443)))).isEmpty();
        assertThat(OutwardPorts.of(policy(rule("a.example.com")))).isEmpty();
    }
}
