package dev.sallyport.egress;

import static dev.sallyport.egress.EgressRig.HOST;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.approval.Outcome;
import dev.sallyport.approval.Question;
import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.FakePerson;
import dev.sallyport.policy.EgressRule;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A connection that a person is asked about: the host is not dialled before a yes, and each one is
/// a question of its own (G6).
final class TunnelApprovalTest {
    private static final byte[] HELLO = Hellos.of(HOST.value());

    private final FakePerson person = new FakePerson();
    private TcpUpstream upstream;
    private EgressRule rule;
    private EgressRig rig;

    @BeforeEach
    void open() throws IOException {
        upstream = new TcpUpstream(Answers::echo);
        rule = EgressRig.rule(HOST.value(), upstream.dial(), 443).asking("allow --ask");
        rig = new EgressRig(Limits.standard(), rule);
        rig.ask(person);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
        upstream.close();
    }

    private static void isOpen(RawSocket client) throws IOException {
        assertThat(client.take(Answers.SERVER_HELLO.length)).isEqualTo(Answers.SERVER_HELLO);
    }

    /// By an alert of TLS, and nothing else.
    private static void isRefused(RawSocket client) throws IOException {
        assertThat(client.restInHex()).startsWith("1503").hasSize(14);
    }

    @Test
    void g6_aYesIsForOneConnection() throws Exception {
        try (RawSocket client = rig.secure().send(HELLO)) {
            FakePerson.Waiting asked = person.next();
            Question.Request shown = asked.question().detail().request().orElseThrow();
            assertThat(asked.question().summary()).isEqualTo("one connection to host.example:443");
            assertThat(shown.url()).isEqualTo("host.example:443");
            assertThat(shown.complete()).isFalse();
            assertThat(upstream.connections()).isZero();
            assertThat(rig.events).isEmpty();

            asked.say(Outcome.YES);
            isOpen(client);
            assertThat(rig.details("egress.connect", "approval"))
                    .containsExactly(asked.asked().id());
            try (RawSocket next = rig.secure().send(HELLO)) {
                person.next().say(Outcome.NO);
                isRefused(next);
            }
        }
        assertThat(rig.recorded("egress.connect"))
                .containsExactly("allow -", "deny approval-denied");
        assertThat(upstream.connections()).isEqualTo(1);
    }

    @Test
    void whatAPersonSaidYesToStaysWhenOtherRightsChange() throws Exception {
        try (RawSocket client = rig.secure().send(HELLO)) {
            person.next().say(Outcome.YES);
            isOpen(client);
            rig.changeRules(EgressRig.rule("other.example", upstream.dial(), 443), rule);
            int before = rig.asked.get();
            Await.until("it was reconsidered", () -> rig.asked.get() >= before + 3);
            assertThat(client.send("x").take(1)).hasSize(1);
        }
        assertThat(rig.recorded("egress.cut")).isEmpty();
    }

    @Test
    void g6_rightsThatAreGoneWhenTheAnswerComesAreGone() throws Exception {
        try (RawSocket client = rig.secure().send(HELLO)) {
            FakePerson.Waiting asked = person.next();
            rig.changeRules(EgressRig.rule("other.example", upstream.dial(), 443));
            asked.say(Outcome.YES);
            isRefused(client);
        }
        assertThat(upstream.connections()).isZero();
    }

    @Test
    void g6_aYesThatCannotBeRecordedHasNoEffect() throws Exception {
        try (RawSocket client = rig.secure().send(HELLO)) {
            FakePerson.Waiting asked = person.next();
            rig.recorderBroken = true;
            asked.say(Outcome.YES);
            isRefused(client);
        }
        assertThat(upstream.connections()).isZero();
    }

    @Test
    void whoGivesUpTakesTheQuestionBack() throws Exception {
        FakePerson.Waiting asked;
        try (RawSocket client = rig.secure().send(HELLO)) {
            asked = person.next();
            assertThat(client).isNotNull();
        }
        Await.until(asked::isWithdrawn);
        assertThat(upstream.connections()).isZero();
    }
}
