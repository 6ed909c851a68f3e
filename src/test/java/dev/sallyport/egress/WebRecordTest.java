package dev.sallyport.egress;

import static dev.sallyport.egress.ScriptedHost.answering;
import static dev.sallyport.egress.ScriptedHost.ok;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.fixture.Await;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// P11: each request is judged by the rights of the moment and recorded before its effect.
final class WebRecordTest {
    private static WebRule rule(ScriptedHost host) {
        return new WebRule(host.dial(), Optional.empty());
    }

    private static void assertRefused(String answer, String code) {
        assertThat(answer).contains("sallyport-reason: " + code).doesNotContain("HTTP/1.1 200");
        assertThat(WebClient.isWhole(answer)).isTrue();
    }

    /// E6: rights that change hold for a connection that is already there.
    @Test
    void e6AsksThePolicyAgainForEveryRequest() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebClient client = new WebClient(rig)) {
            String request = "GET /x HTTP/1.1\r\nHost: api.example.com\r\n\r\n";
            client.send(request);
            assertThat(client.answer()).endsWith("hello");

            rig.session = rig.session(false, WebRig.HOST, rule(host).methods("PUT").done());
            client.send(request);
            assertRefused(client.answer(), "method-not-allowed");

            rig.session = rig.session(false, WebRig.HOST);
            client.send(request);
            assertRefused(client.answer(), "name-not-allowed");
            assertThat(host.heads()).hasSize(1);
        }
    }

    /// P11.
    @Test
    void p11ForwardsNothingThatIsNotRecorded() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done())) {
            rig.recorderBroken = true;
            assertRefused(WebClient.ask(rig, WebClient.get("/")), "not-recorded");
            assertThat(host.peers).isEmpty();
        }
    }

    @Test
    void p11WaitsForTheRecord() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebClient client = new WebClient(rig)) {
            CompletableFuture<Void> written = new CompletableFuture<>();
            rig.record = written;
            client.send(WebClient.get("/"));
            Await.until(() -> !rig.events.isEmpty());
            rig.record = CompletableFuture.completedFuture(null);
            assertThat(WebClient.ask(rig, WebClient.get("/later"))).endsWith("hello");
            assertThat(host.heads()).hasSize(1).first().asString().startsWith("GET /later ");
            written.complete(null);
            assertThat(client.all()).endsWith("hello");
        }
    }

    /// I17: what is called a read may be counted instead of written.
    @Test
    void i17OnlyWhatChangesNothingIsARead() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done())) {
            String get = WebClient.get("/with-a-body");
            WebClient.ask(rig, get.replace("\r\n\r\n", "\r\nContent-Length: 1\r\n\r\nx"));
            WebClient.ask(rig, WebClient.get("/read"));
            WebClient.ask(rig, WebClient.post("/written", "", "x"));
            WebClient.ask(rig, WebClient.get("/removed").replace("GET ", "DELETE "));
            assertThat(rig.recorded("egress.request")).hasSize(4).containsOnly("allow -");
            assertThat(rig.reads.all("path")).containsExactly("/read");
        }
    }

    /// E19.
    @Test
    void e19RecordsNeitherQueryNorWhatLooksLikeASecret() throws Exception {
        String random = "v2-" + "Zk39xQ7Lm2Rt8Vb4Ny6Wc1Hp5Jd0Fg";
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig =
                        new WebRig(
                                WebRig.Terms.plain(),
                                rule(host).paths("/bot/**").queryAllowed("token").done())) {
            WebClient.ask(rig, WebClient.get("/bot/" + random + "/send?token=visible"));
            WebClient.ask(rig, WebClient.get("/other/" + random + "?token=visible"));
            WebClient.ask(rig, WebClient.get("/bot/" + "long/".repeat(100)));
            WebClient.ask(rig, WebClient.get("/bot/%1b%5b31m"));
            assertThat(rig.events.toString()).doesNotContain(random).doesNotContain("visible");
            AuditEvent first = rig.events.getFirst();
            assertThat(first.detail())
                    .containsEntry("path", "/bot/[redacted]/send")
                    .containsEntry("host", "api.example.com")
                    .containsEntry("port", "80")
                    .containsEntry("method", "GET")
                    .containsEntry("rule", "policy.yaml:7")
                    .containsKey("id");
            assertThat(rig.events)
                    .allSatisfy(
                            event ->
                                    assertThat(event.detail().getOrDefault("path", ""))
                                            .hasSizeLessThanOrEqualTo(200)
                                            .matches("[ -~…]*"));
        }
    }

    /// A person wants to see which package was fetched.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/helper-validator-identifier-7.22.20.tgz",
                "/pack-0032-1.0.0-beta.11.crate",
                "/numpy-1.26.4-cp311-cp311-manylinux2014_x86.whl",
                "/jackson-databind-2.22.4-sources.jar.sha1",
                "/Flask_Migrate-4.0.7.tar.gz.asc"
            })
    void namesOfPackagesAreRecorded(String path) {
        assertThat(WebAudit.LoggedPath.of(path)).isEqualTo(path);
    }

    /// E19: a kind of file at its end makes nothing harmless.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/Zk39xQ7Lm2Rt8Vb4Ny6Wc1Hp5Jd0Fg.zip",
                "/550e8400-e29b-41d4-a716-446655440000.zip",
                "/VK7JG-NPHTM-C97JM-9MPGT-3V66T.zip",
                "/aB3dE-fG7hI-jK9lM-nO2pQ-rS4tU.zip",
                "/Q2W4-E5RT-6YU7-8IOP-A1SD-F2GH.tgz",
                "/4929-1234-5678-9012-3456.tgz",
                "/550e8400-e29b-41d4-a716-446655440000.json",
                "/correct-horse-battery-staple-4821.zip",
                "/correct-horse-battery-staple-4821.json",
                "/build-1.0-9f86d081884c7d659a2feaa0.tgz",
                "/report-XqLmRtVbNyWcHpJd-2026.zip",
                "/secret-words-1234-and-5678-more"
            })
    void e19WhatLooksLikeASecretIsNotRecordedAsAFile(String path) {
        assertThat(WebAudit.LoggedPath.of(path)).isEqualTo("/[redacted]");
    }

    @Test
    void aSessionThatLearnsRecordsWhatItsRulesWouldRefuse() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig =
                        new WebRig(
                                WebRig.Terms.plain().learning(),
                                rule(host).methods("GET").paths("/public/**").done())) {
            assertThat(WebClient.ask(rig, WebClient.get("/public/x"))).endsWith("hello");
            assertThat(WebClient.ask(rig, WebClient.get("/other"))).endsWith("hello");
            assertThat(WebClient.ask(rig, WebClient.post("/public/x", "", "x"))).endsWith("hello");
            assertThat(rig.recorded("egress.request"))
                    .containsExactly("allow -", "learned -", "learned -");
        }
    }

    /// What may be learned hides nothing that may not.
    @Test
    void aSessionThatLearnsStillRefusesEverythingElse() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig =
                        new WebRig(
                                WebRig.Terms.plain().learning(),
                                rule(host)
                                        .methods("GET")
                                        .typesDenied("text/html")
                                        .bytesMax(3)
                                        .done())) {
            String html = "Content-Type: text/html\r\n";
            assertRefused(
                    WebClient.ask(rig, WebClient.post("/", html, "x")), "content-not-allowed");
            assertRefused(WebClient.ask(rig, WebClient.post("/", "", "long")), "body-too-large");
            assertThat(host.peers).isEmpty();
            assertThat(WebClient.ask(rig, WebClient.post("/", "", "x"))).endsWith("hello");
        }
    }
}
