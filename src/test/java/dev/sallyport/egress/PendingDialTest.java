package dev.sallyport.egress;

import static dev.sallyport.egress.EgressRig.HOST;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A connection that is being made counts like one that is there, and is given up with whoever
/// wanted it: otherwise a sandbox that comes and goes could have the gateway dial without bound.
final class PendingDialTest {
    private static final byte[] HELLO = Hellos.of(HOST.value());

    @Test
    void aTunnelIsNotDialledForASandboxThatIsGone() throws Exception {
        try (DeafHost host = new DeafHost();
                EgressRig rig =
                        new EgressRig(
                                DeafHost.patient(Limits.standard().egress()),
                                EgressRig.rule(HOST.value(), host.dial(), 443))) {
            try (RawSocket client = rig.secure()) {
                client.send(HELLO);
                Await.until("dialling", () -> host.connecting() == 1);
            }
            Await.until("given up", () -> host.connecting() == 0);
            assertThat(rig.details("egress.end", "why")).containsExactly("closed");
        }
    }

    @Test
    void aRequestIsNotDialledForASandboxThatIsGone() throws Exception {
        try (DeafHost host = new DeafHost();
                WebRig rig =
                        new WebRig(
                                WebRig.Terms.plain()
                                        .with(DeafHost.patient(Limits.standard().egress())),
                                new WebRule(host.dial(), Optional.empty()).done())) {
            try (RawSocket client = new RawSocket(rig.port())) {
                client.send("GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n");
                Await.until("dialling", () -> host.connecting() == 1);
            }
            Await.until("given up", () -> host.connecting() == 0);
        }
    }

    @Test
    void s25_aDialIsCountedBeforeItIsMade() throws Exception {
        try (DeafHost host = new DeafHost();
                EgressRig rig =
                        new EgressRig(
                                DeafHost.patient(Egresses.standardBut(e -> e.requests(1))),
                                EgressRig.rule(HOST.value(), host.dial(), 443))) {
            try (RawSocket first = rig.secure();
                    RawSocket second = rig.secure()) {
                first.send(HELLO);
                Await.until("dialling", () -> host.connecting() == 1);
                assertThat(second.send(HELLO).restInHex()).startsWith("1503030002");
                assertThat(host.connecting()).isEqualTo(1);
            }
            assertThat(rig.recorded("egress.connect"))
                    .containsExactly("allow -", "deny budget-spent");
        }
    }

    @Test
    void s25_inspectedConnectionsAreCounted() throws Exception {
        try (TcpUpstream host = new TcpUpstream(TcpUpstream.Peer::takeAll);
                EgressRig rig =
                        new EgressRig(
                                EgressRig.limits(Egresses.standardBut(e -> e.requests(2))),
                                EgressRig.inspectedRule(HOST.value(), host.dial()))) {
            for (int i = 0; i < 3; i++) {
                try (RawSocket client = rig.secure()) {
                    client.send(HELLO).rest();
                }
            }
            assertThat(rig.inspected).hasSize(2);
            assertThat(rig.recorded("egress.connect"))
                    .containsExactly("allow -", "allow -", "deny budget-spent");
            assertThat(host.connections()).isZero();
        }
    }
}
