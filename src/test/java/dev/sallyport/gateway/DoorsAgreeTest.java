package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.channel.Message;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.Limits;
import dev.sallyport.egress.Hellos;
import dev.sallyport.egress.RawSocket;
import dev.sallyport.egress.TcpUpstream;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// S8: whatever the rules are, the resolver, the addresses, the proxy and the policy never disagree
/// about a name. Rules, names and ports are drawn from a few words, so that they meet.
final class DoorsAgreeTest {
    private static final String SESSION = "00000000000000aa";
    private static final int NAMES = 30;
    private static final List<Integer> PORTS = List.of(80, 443, 8443);
    private static final List<String> LABELS = List.of("a", "b", "a-b", "xn--a");
    private static final List<String> DOMAINS =
            List.of("one.example", "two.test", "sub.one.example", "twos.test");

    private static Limits limits() {
        Limits standard = Limits.standard();
        return new Limits(
                standard.http(),
                new Limits.Sharing(256, 1_024, 64, 256, 100_000, 256, 30),
                standard.git(),
                standard.push(),
                standard.mirror(),
                new Limits.Dns(100_000, 16, 10),
                standard.upstream(),
                standard.egress(),
                Limits.Api.STANDARD,
                Limits.Approvals.STANDARD);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void s8_e8_agreeAboutEveryName(long seed) throws Exception {
        Random random = new Random(seed);
        GatewayInProcess gateway = new GatewayInProcess(limits(), (_, _, _) -> new IgnoredBody());
        try (TcpUpstream host = new TcpUpstream(DoorsAgreeTest::answer)) {
            EgressText[] rules = rules(random, host.dial());
            gateway.attach(SESSION, new Message.Spent(0, 0, 0), rules);
            Policy policy = policy(rules);
            int allowed = 0;
            for (int i = 0; i < NAMES; i++) {
                allowed += check(gateway, policy, name(random), random) ? 1 : 0;
            }
            assertThat(allowed).as("the names meet the rules").isBetween(1, NAMES - 1);
        } finally {
            gateway.close();
        }
    }

    private static void answer(TcpUpstream.Peer peer) throws IOException {
        peer.take(1);
        peer.say(new byte[] {23});
        peer.takeAll();
    }

    private static EgressText[] rules(Random random, String dial) {
        List<EgressText> rules = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String prefix = List.of("", "*.", "**.").get(random.nextInt(3));
            String name = random.nextBoolean() ? pick(random, DOMAINS) : name(random);
            TreeSet<Integer> ports = new TreeSet<>(List.of(pick(random, PORTS), 443));
            rules.add(GatewayInProcess.tunnel(prefix + name, dial, ports.toArray(Integer[]::new)));
        }
        rules.add(GatewayInProcess.tunnel("*.sub.one.example", dial, 80));
        return rules.toArray(EgressText[]::new);
    }

    private static Policy policy(EgressText... rules) throws MalformedNameException {
        List<EgressRule> parsed = new ArrayList<>();
        for (EgressText rule : rules) {
            parsed.add(rule.toRule());
        }
        return new Policy(new SessionId(SESSION), List.of(), new Egress(parsed, false));
    }

    private static <T> T pick(Random random, List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private static String name(Random random) {
        StringBuilder name = new StringBuilder();
        for (int i = random.nextInt(3); i > 0; i--) {
            name.append(pick(random, LABELS)).append('.');
        }
        return name.append(pick(random, DOMAINS)).toString();
    }

    /// Whether the name may be reached at all.
    private static boolean check(
            GatewayInProcess gateway, Policy policy, String name, Random random)
            throws IOException {
        HostName host = new HostName(name);
        boolean resolves = policy.resolves(host);
        int dns = gateway.dnsUdpPorts.getOrDefault(SESSION, 0);
        Optional<String> address = DnsProbe.addressOf(spelled(name, random), dns);
        assertThat(address.isPresent()).as("the resolver about %s", name).isEqualTo(resolves);
        assertThat(DnsProbe.addressOf(name, dns)).isEqualTo(address);
        boolean reached = false;
        for (int port : PORTS) {
            boolean allowed = policy.decide(host, port) instanceof Decision.Allow;
            assertThat(allowed && !resolves).as("%s passes and does not resolve", name).isFalse();
            assertThat(connects(gateway, spelled(name, random), port))
                    .as("the proxy about %s:%d", name, port)
                    .isEqualTo(allowed);
            assertThat(connects(gateway, name + ".", port)).isFalse();
            if (port == 443 && address.isPresent()) {
                assertThat(dials(gateway, address.get(), spelled(name, random)))
                        .as("the address of %s", name)
                        .isEqualTo(allowed);
                assertThat(dials(gateway, address.get(), "x" + name)).isFalse();
            }
            reached |= allowed;
        }
        return reached;
    }

    /// Case is the one thing that is folded.
    private static String spelled(String name, Random random) {
        return random.nextBoolean() ? name : name.toUpperCase(Locale.ROOT);
    }

    private static boolean connects(GatewayInProcess gateway, String name, int port)
            throws IOException {
        String target = name + ":" + port;
        try (RawSocket client = new RawSocket(gateway.proxyPorts.getOrDefault(SESSION, 0))) {
            client.send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
            return client.head().startsWith("HTTP/1.1 200 ") && isAnswered(client, name);
        }
    }

    private static boolean dials(GatewayInProcess gateway, String address, String name)
            throws IOException {
        try (RawSocket client =
                new RawSocket(address, gateway.httpsPorts.getOrDefault(SESSION, 0))) {
            return isAnswered(client, name);
        }
    }

    /// By the host, not by an alert of the gateway.
    private static boolean isAnswered(RawSocket client, String name) throws IOException {
        byte[] first = client.send(Hellos.of(name)).take(1);
        return first.length == 1 && first[0] == 23;
    }
}
