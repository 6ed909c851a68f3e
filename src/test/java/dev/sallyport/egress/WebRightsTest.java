package dev.sallyport.egress;

import static dev.sallyport.egress.ScriptedHost.answering;
import static dev.sallyport.egress.ScriptedHost.ok;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.git.TestPki;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.Injection.Place;
import dev.sallyport.session.LiveSession;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/// E6: rights that change while a request is on its way hold for it, until something of it is
/// written.
final class WebRightsTest {
    private static final TestPki PKI = new TestPki();
    private static final String BODY = "{\"type\":\"search\"}";

    private static ScriptedHost host(ScriptedHost.Script script) throws Exception {
        return ScriptedHost.tls(PKI.server("api.example.com"), script);
    }

    private static WebRule rule(ScriptedHost host) {
        return new WebRule(host.dial(), Optional.of(PKI.caPem())).inject(new Place.Bearer());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /// The answer to a body that comes after the rule has become another.
    private static String answer(WebRig rig, EgressRule changed) throws Exception {
        try (WebClient client = new WebClient(rig)) {
            client.send(
                    "POST / HTTP/1.1\r\nHost: api.example.com\r\nExpect: 100-continue\r\n"
                            + "Content-Type: application/json\r\nContent-Length: "
                            + BODY.length()
                            + "\r\n\r\n");
            assertThat(client.until("\r\n\r\n")).startsWith("HTTP/1.1 100 ");
            LiveSession old = rig.session;
            rig.session = rig.session(false, WebRig.HOST, changed);
            old.credentials().wipe();
            client.send(BODY);
            return client.answer();
        }
    }

    @Test
    void e6ABodyIsNotSentThatWasJudgedByOtherRules() throws Exception {
        try (ScriptedHost host = host(answering(ok("hello")));
                WebRig rig =
                        new WebRig(
                                WebRig.Terms.encrypted(),
                                rule(host).jsonDenied("type=url").done())) {
            EgressRule strict = rule(host).jsonDenied("type=url", "type=search").done();
            assertThat(answer(rig, strict)).contains("sallyport-reason: rights-changed");
            assertThat(host.heads()).isEmpty();
        }
    }

    @Test
    void aBodyThatTookLongGoesWithThePresentSecret() throws Exception {
        try (ScriptedHost host = host(answering(ok("hello")));
                WebRig rig =
                        new WebRig(
                                WebRig.Terms.encrypted(),
                                rule(host).jsonDenied("type=url").done())) {
            EgressRule same = rule(host).jsonDenied("type=url").done();
            assertThat(answer(rig, same)).endsWith("hello");
            assertThat(host.heads()).singleElement().asString().contains("Bearer " + WebRig.SECRET);
        }
    }

    @Test
    void e6ARequestIsNotSentWhoseRightWasWithdrawnBeforeItsHostWasThere() throws Exception {
        assertNotSentUnder(rule -> rule.methods("GET"));
    }

    /// Nobody was asked about it.
    @Test
    void e6ARequestIsNotSentThatAPersonHasToBeAskedAboutByNow() throws Exception {
        assertNotSentUnder(WebRule::ask);
    }

    /// @param change of the rule, while the host is connected to
    private static void assertNotSentUnder(UnaryOperator<WebRule> change) throws Exception {
        CountDownLatch dialled = new CountDownLatch(1);
        CountDownLatch changed = new CountDownLatch(1);
        ScriptedHost.Script slow =
                peer -> {
                    dialled.countDown();
                    await(changed);
                    answering(ok("hello")).run(peer);
                };
        try (ScriptedHost host = host(slow);
                WebRig rig = new WebRig(WebRig.Terms.encrypted(), rule(host).done());
                WebClient client = new WebClient(rig)) {
            client.send("DELETE /x HTTP/1.1\r\nHost: api.example.com\r\n\r\n");
            await(dialled);
            rig.session = rig.session(false, WebRig.HOST, change.apply(rule(host)).done());
            changed.countDown();
            assertThat(client.answer()).contains("sallyport-reason: rights-changed");
            assertThat(host.heads()).isEmpty();
        }
    }
}
