package dev.sallyport.egress;

import static dev.sallyport.egress.ScriptedHost.answering;
import static dev.sallyport.egress.ScriptedHost.ok;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.git.TestPki;
import dev.sallyport.policy.Injection.Place;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// E15: an attacker's own credential does not go out in the query of an allowed host either.
final class QueryCredentialsTest {
    private static final TestPki PKI = new TestPki();

    private static WebRule rule(ScriptedHost host) {
        return new WebRule(host.dial(), Optional.empty());
    }

    private static void assertRefused(String answer) {
        assertThat(answer).contains("sallyport-reason: credential-not-allowed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "key=x",
                "a=b&access_token=x",
                "a=b;access_token=x",
                "api_key=x",
                "apikey",
                "apiKey=x",
                "api.key=x",
                "token=x",
                "TOKEN=x",
                "%74oken=x",
                "t%6Fken%3dy=x&%74%6f%6b%65%6e=x",
                "token[]=x",
                "token%5B%5D=x",
                "+token=x",
                "private_token=x",
                "private-token=x",
                "auth=x",
                "X-Amz-Credential=x",
                "x-amz-signature=x",
                "X-Amz-Security-Token=x",
                "X-Goog-Signature=x",
                "sig=x",
                "$httpHeaders=Authorization:x",
                "%24httpMethod=DELETE",
                "_method=DELETE",
                ".method=DELETE",
                "X-HTTP-Method-Override=DELETE"
            })
    void e15RefusesACredentialInTheQuery(String query) throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done())) {
            assertRefused(WebClient.ask(rig, WebClient.get("/?" + query)));
            assertThat(host.peers).isEmpty();
            assertThat(rig.recorded("egress.request"))
                    .containsExactly("deny credential-not-allowed");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "q=token",
                "q=token%3dx",
                "page_token=x&pageToken=y",
                "monkey=x&keys=y&keyword=z",
                "method=x&author=y",
                "X-Amz-Date=x&X-Amz-Expires=1",
                "alt=sse&$alt=json",
                "%ff=x"
            })
    void positiveControlOrdinaryQueriesPassUnchanged(String query) throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done())) {
            assertThat(WebClient.ask(rig, WebClient.get("/?" + query))).endsWith("hello");
            assertThat(host.heads().getFirst())
                    .startsWith("GET /" + (query.isEmpty() ? "" : "?" + query) + " HTTP/1.1");
        }
    }

    @Test
    void aRuleCanLetSomePass() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig =
                        new WebRig(WebRig.Terms.plain(), rule(host).queryAllowed("token").done())) {
            assertThat(WebClient.ask(rig, WebClient.get("/?Token=x"))).endsWith("hello");
            assertThat(host.heads().getFirst()).startsWith("GET /?Token=x HTTP/1.1");
            assertRefused(WebClient.ask(rig, WebClient.get("/?token=x&key=y")));
            assertThat(host.heads()).hasSize(1);
        }
    }

    /// In a session that learns, too.
    @Test
    void e15LearningDoesNotLetThemPass() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig =
                        new WebRig(WebRig.Terms.plain().learning(), rule(host).methods().done())) {
            assertRefused(WebClient.ask(rig, WebClient.get("/?token=x")));
            assertThat(host.peers).isEmpty();
            assertThat(WebClient.ask(rig, WebClient.get("/"))).endsWith("hello");
        }
    }

    /// What is injected as a field may be sent as the parameter of the same meaning; it is dropped.
    @Test
    void e15DropsTheKeyThatIsInjectedAsAField() throws Exception {
        for (String field : List.of("x-goog-api-key", "x-api-key")) {
            try (ScriptedHost host =
                            ScriptedHost.tls(
                                    PKI.server("api.example.com"), answering(ok("hello")));
                    WebRig rig =
                            new WebRig(
                                    WebRig.Terms.encrypted(),
                                    new WebRule(host.dial(), Optional.of(PKI.caPem()))
                                            .inject(new Place.Header(field))
                                            .done())) {
                String answer = WebClient.ask(rig, WebClient.get("/?key=attacker&alt=sse"));
                if (field.equals("x-goog-api-key")) {
                    assertThat(answer).endsWith("hello");
                    assertThat(host.heads().getFirst())
                            .startsWith("GET /?alt=sse HTTP/1.1")
                            .contains(field + ": " + WebRig.SECRET);
                } else {
                    assertRefused(answer);
                    assertThat(host.peers).isEmpty();
                }
            }
        }
    }
}
