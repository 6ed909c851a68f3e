package dev.sallyport.egress;

import static dev.sallyport.egress.EgressRig.HOST;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A tunnel ends when the session may not have it any more.
class TunnelRightsTest {
    private static final byte[] HELLO = Hellos.of(HOST.value());

    private TcpUpstream upstream;
    private EgressRig rig;

    @BeforeEach
    void open() throws IOException {
        upstream = new TcpUpstream(Answers::echo);
        rig = new EgressRig(Limits.standard(), EgressRig.rule(HOST.value(), upstream.dial(), 443));
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
        upstream.close();
    }

    /// A tunnel that the host has answered.
    private RawSocket opened() throws IOException {
        RawSocket client = rig.secure().send(HELLO);
        assertThat(client.take(Answers.SERVER_HELLO.length)).isEqualTo(Answers.SERVER_HELLO);
        return client;
    }

    private void assertEnded(String why) throws InterruptedException {
        Await.until("the end", () -> !rig.recorded("egress.end").isEmpty());
        assertThat(rig.details("egress.end", "why")).containsExactly(why);
    }

    @Test
    void s17_endsWhenTheSessionMayNotReachTheHostAnyMore() throws Exception {
        try (RawSocket client = opened()) {
            rig.changeRules(EgressRig.rule("other.example", upstream.dial(), 443));
            assertThat(client.rest()).isEmpty();
        }
        assertEnded("name-not-allowed");
        assertThat(rig.recorded("egress.cut")).containsExactly("deny name-not-allowed");
    }

    @Test
    void s17_endsWhenItsRequestsHaveToBeSeen() throws Exception {
        try (RawSocket client = opened()) {
            rig.changeRules(EgressRig.inspectedRule(HOST.value(), upstream.dial()));
            assertThat(client.rest()).isEmpty();
        }
        assertEnded("url-not-allowed");
    }

    @Test
    void s17_endsWhenAPersonIsToBeAsked() throws Exception {
        try (RawSocket client = opened()) {
            rig.changeRules(
                    EgressRig.rule(HOST.value(), upstream.dial(), 443).asking("allow --ask"));
            assertThat(client.rest()).isEmpty();
        }
        assertEnded("rights-changed");
    }

    @Test
    void s17_staysWhenOnlyOtherRightsChange() throws Exception {
        try (RawSocket client = opened()) {
            rig.changeRules(
                    EgressRig.rule("other.example", upstream.dial(), 443),
                    EgressRig.rule(HOST.value(), upstream.dial(), 443));
            int before = rig.asked.get();
            Await.until("it was reconsidered", () -> rig.asked.get() >= before + 3);
            assertThat(client.send("x").take(1)).hasSize(1);
        }
        assertEnded("closed");
        assertThat(rig.recorded("egress.cut")).isEmpty();
    }

    @Test
    void s17_endsWhenTheHostIsToBeReachedInAnotherWay() throws Exception {
        try (RawSocket client = opened()) {
            rig.changeRules(EgressRig.rule(HOST.value(), "127.0.0.1:9", 443));
            assertThat(client.rest()).isEmpty();
        }
        assertEnded("address-not-allowed");
    }

    @Test
    void s17_endsWhenRightsChangedBetweenTheDecisionAndTheTunnel() throws Exception {
        rig.whenRecorded =
                () -> rig.changeRules(EgressRig.rule("other.example", upstream.dial(), 443));
        try (RawSocket client = opened()) {
            assertThat(client.rest()).isEmpty();
        }
        assertEnded("name-not-allowed");
    }
}
