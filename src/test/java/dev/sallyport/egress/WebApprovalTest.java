package dev.sallyport.egress;

import static dev.sallyport.egress.ScriptedHost.answering;
import static dev.sallyport.egress.ScriptedHost.ok;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.approval.Outcome;
import dev.sallyport.approval.Question;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.FakePerson;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A request that a person is asked about: the host hears nothing of it before a yes.
final class WebApprovalTest {
    private final FakePerson person = new FakePerson();

    private static WebRule rule(ScriptedHost host) {
        return new WebRule(host.dial(), Optional.empty()).ask();
    }

    private WebRig rig(WebRule rule) {
        WebRig rig = new WebRig(WebRig.Terms.plain(), rule.done());
        rig.session = rig.session.asking(person);
        return rig;
    }

    @Test
    void aRequestGoesOutAfterAYesAsItWasShown() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = rig(rule(host).queryAllowed("token"));
                WebClient client = new WebClient(rig)) {
            client.send(WebClient.post("/x?a=1&token=hidden", "X-Word: seen\r\n", "the body"));
            FakePerson.Waiting asked = person.next();
            Question.Request shown = asked.question().detail().request().orElseThrow();
            assertThat(host.peers).isEmpty();
            assertThat(rig.events).isEmpty();
            assertThat(shown.url()).isEqualTo("http://api.example.com/x?a=1&token=…");
            assertThat(shown.fields()).contains("x-word: seen");
            assertThat(shown.text()).isEqualTo("the body");
            assertThat(shown.complete()).isTrue();
            assertThat(asked.question().bytes()).isEqualTo(8);
            assertThat(asked.question().summary()).doesNotContain("token");

            asked.say(Outcome.YES);
            assertThat(client.all()).endsWith("hello");
            assertThat(host.heads()).singleElement().asString().contains("token=hidden");
            assertThat(rig.events.getFirst().detail())
                    .containsEntry("approval", asked.asked().id());
        }
    }

    @Test
    void afterANoTheHostHearsNothing() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = rig(rule(host));
                WebClient client = new WebClient(rig)) {
            client.send(WebClient.get("/x"));
            person.next().say(Outcome.NO, "not this one");

            assertThat(client.answer())
                    .contains("sallyport-reason: approval-denied", "not this one");
            assertThat(host.peers).isEmpty();
            assertThat(rig.recorded("egress.request")).containsExactly("deny approval-denied");
        }
    }

    /// G6: the next request is another question, however much it is like the one before.
    @Test
    void g6_aYesIsForOneRequest() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = rig(rule(host));
                WebClient client = new WebClient(rig)) {
            String request = "GET /x HTTP/1.1\r\nHost: api.example.com\r\n\r\n";
            client.send(request);
            person.next().say(Outcome.YES);
            assertThat(client.answer()).endsWith("hello");

            client.send(request);
            person.next().say(Outcome.EXPIRED);
            assertThat(client.answer()).contains("approval-expired");
            assertThat(host.heads()).hasSize(1);
        }
    }

    @Test
    void g6_whatIsNotAsItLooksIsDenied() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = rig(rule(host))) {
            assertThat(
                            WebClient.ask(
                                    rig, WebClient.get("/x", "X-HTTP-Method-Override: DELETE\r\n")))
                    .contains("method-not-allowed");
            assertThat(WebClient.ask(rig, WebClient.get("/x", "X-Original-URL: /y\r\n")))
                    .contains("url-not-allowed");
            assertThat(WebClient.ask(rig, WebClient.post("/x", "", "x".repeat(1 << 20) + "y")))
                    .contains("body-too-large");
            assertThat(WebClient.ask(rig, WebClient.get("/" + "x".repeat(8_192))))
                    .contains("url-not-allowed");
            assertThat(person.questions()).isEmpty();
            assertThat(host.peers).isEmpty();
        }
    }

    /// A host that was allowed once has no other rule about requests than that a person is asked.
    @Test
    void g6_noFieldTurnsARequestToAnAskedHostIntoAnother() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig =
                        new WebRig(
                                WebRig.Terms.plain(),
                                EgressRig.rule(WebRig.HOST.value(), host.dial(), 80)
                                        .asking("allow --ask"))) {
            rig.session = rig.session.asking(person);
            try (WebClient client = new WebClient(rig)) {
                client.send(WebClient.get("/x"));
                person.next().say(Outcome.YES);
                assertThat(client.all()).endsWith("hello");
            }
            assertThat(
                            WebClient.ask(
                                    rig, WebClient.get("/x", "X-HTTP-Method-Override: DELETE\r\n")))
                    .contains("method-not-allowed");
            assertThat(WebClient.ask(rig, WebClient.get("/x", "X-Original-URL: /y\r\n")))
                    .contains("url-not-allowed");
            assertThat(person.questions()).hasSize(1);
            assertThat(host.heads()).hasSize(1);
        }
    }

    @Test
    void g6_aYesThatCannotBeRecordedHasNoEffect() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = rig(rule(host));
                WebClient client = new WebClient(rig)) {
            client.send(WebClient.get("/x"));
            FakePerson.Waiting asked = person.next();
            rig.recorderBroken = true;
            asked.say(Outcome.YES);

            assertThat(client.answer()).contains("not-recorded");
            assertThat(host.heads()).isEmpty();
        }
    }

    @Test
    void g6_rightsThatAreGoneWhenTheAnswerComesAreGone() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = rig(rule(host));
                WebClient client = new WebClient(rig)) {
            client.send(WebClient.get("/x"));
            FakePerson.Waiting asked = person.next();
            rig.session = rig.session(false, WebRig.HOST);
            asked.say(Outcome.YES);

            assertThat(client.answer()).contains("rights-changed");
            assertThat(host.heads()).isEmpty();
        }
    }

    @Test
    void whoGivesUpTakesTheQuestionBack() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = rig(rule(host))) {
            FakePerson.Waiting asked;
            try (WebClient client = new WebClient(rig)) {
                client.send(WebClient.get("/x"));
                asked = person.next();
            }
            Await.until(asked::isWithdrawn);
            assertThat(host.peers).isEmpty();
        }
    }
}
