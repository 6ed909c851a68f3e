package dev.sallyport.egress;

import static dev.sallyport.egress.ScriptedHost.answering;
import static dev.sallyport.egress.ScriptedHost.ok;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// S13, E12: connections upstream, streams in both directions, budgets.
final class WebFlowTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n";
    private static final String POST =
            "POST / HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 1\r\n\r\nx";
    private static final int MEBIBYTE = 1 << 20;

    private static WebRule rule(ScriptedHost host) {
        return new WebRule(host.dial(), Optional.empty());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void usesAConnectionAgainForTheSameSandboxConnection() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebClient client = new WebClient(rig)) {
            for (int i = 0; i < 3; i++) {
                client.send(i == 1 ? POST : GET);
                assertThat(client.answer()).endsWith("hello");
            }
            assertThat(host.peers).hasSize(1);
            assertThat(host.heads()).hasSize(3);
        }
    }

    /// E12: no other connection of any sandbox gets it.
    @Test
    void e12SharesNoConnectionBetweenSandboxConnections() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebClient one = new WebClient(rig);
                WebClient other = new WebClient(rig)) {
            for (WebClient client : new WebClient[] {one, other, one, other}) {
                client.send(GET);
                assertThat(client.answer()).endsWith("hello");
            }
            assertThat(host.peers).hasSize(2);
        }
    }

    /// E12: an answer that nobody asked for is nobody's.
    @Test
    void e12TakesNoSurplusForTheNextAnswer() throws Exception {
        try (ScriptedHost host =
                        ScriptedHost.plain(
                                peer -> {
                                    while (!peer.head().isEmpty()) {
                                        peer.say(ok("asked") + ok("poison"));
                                    }
                                });
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebClient client = new WebClient(rig)) {
            for (int i = 0; i < 3; i++) {
                client.send(GET);
                assertThat(client.answer()).endsWith("asked").doesNotContain("poison");
            }
            assertThat(host.peers).hasSize(3);
        }
    }

    @Test
    void e12DropsAConnectionOnWhichSomethingComesUnasked() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        try (ScriptedHost host =
                        ScriptedHost.plain(
                                peer -> {
                                    peer.head();
                                    peer.say(ok("asked"));
                                    await(answered);
                                    peer.say("H");
                                    peer.drain();
                                });
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebClient client = new WebClient(rig)) {
            client.send(GET);
            assertThat(client.answer()).endsWith("asked");
            answered.countDown();
            Await.until(() -> !host.peers.isEmpty() && host.peers.getFirst().over);
            client.send(GET);
            assertThat(client.answer()).endsWith("asked");
            assertThat(host.peers).hasSize(2);
        }
    }

    /// The host closes a kept connection just as it is used.
    private static ScriptedHost.Script closingAtTheSecondRequest() {
        return peer -> {
            peer.head();
            peer.readBody();
            peer.say(ok("hello"));
            peer.head();
        };
    }

    @Test
    void asksAgainWhenAKeptConnectionWasDead() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(closingAtTheSecondRequest());
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebClient client = new WebClient(rig)) {
            client.send(GET);
            client.answer();
            client.send(GET);
            assertThat(client.answer()).endsWith("hello");
            assertThat(host.peers).hasSize(2);
        }
    }

    @Test
    void sendsNothingTwiceThatCouldHaveAnEffect() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(closingAtTheSecondRequest());
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebClient client = new WebClient(rig)) {
            client.send(GET);
            client.answer();
            client.send(POST);
            assertThat(client.answer()).contains("sallyport-reason: upstream-unreachable");
            assertThat(host.heads()).hasSize(2);
        }
    }

    @Test
    void relaysAnAnswerThatComesBeforeTheBodyIsComplete() throws Exception {
        try (ScriptedHost host =
                        ScriptedHost.plain(
                                peer -> {
                                    peer.head();
                                    peer.say(
                                            "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
                                    peer.drain();
                                });
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebClient client = new WebClient(rig)) {
            client.send(
                    "POST / HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 100\r\n\r\npart");
            assertThat(client.answer()).startsWith("HTTP/1.1 413").endsWith("no");
            Await.until(() -> !host.peers.isEmpty() && host.peers.getFirst().over);
            assertThat(host.received()).endsWith("\r\n\r\npart");
        }
    }

    @Test
    void saysContinueOnceTheHostIsThere() throws Exception {
        String head =
                "POST / HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n";
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebRig strict = new WebRig(WebRig.Terms.plain(), rule(host).methods("GET").done());
                WebClient client = new WebClient(rig);
                WebClient denied = new WebClient(strict)) {
            denied.send(head);
            assertThat(denied.answer()).contains("method-not-allowed").doesNotContain("100");
            client.send(head);
            assertThat(client.until("\r\n\r\n")).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            client.send("body");
            assertThat(client.answer()).endsWith("hello");
            assertThat(host.received()).endsWith("body").doesNotContain("xpect");
        }
    }

    @Test
    void relaysAStreamOfEventsPieceByPiece() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        try (ScriptedHost host =
                        ScriptedHost.plain(
                                peer -> {
                                    peer.head();
                                    peer.say(
                                            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
                                    await(first);
                                    peer.say("9\r\ndata: 1\n\n\r\n");
                                    await(second);
                                    peer.say("9\r\ndata: 2\n\n\r\n0\r\n\r\n");
                                    peer.drain();
                                });
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebClient client = new WebClient(rig)) {
            client.send(GET);
            assertThat(client.until("\r\n\r\n")).contains("text/event-stream");
            first.countDown();
            assertThat(client.until("data: 1\n\n\r\n")).endsWith("data: 1\n\n\r\n");
            second.countDown();
            assertThat(client.until("0\r\n\r\n")).contains("data: 2");
        }
    }

    /// P10: a sandbox that does not read makes the host wait, not the gateway's memory grow.
    @Test
    void p10HoldsAHostBackWhileTheSandboxDoesNotRead() throws Exception {
        AtomicLong written = new AtomicLong();
        long total = 200L * MEBIBYTE;
        try (ScriptedHost host =
                        ScriptedHost.plain(
                                peer -> {
                                    peer.head();
                                    peer.say(
                                            "HTTP/1.1 200 OK\r\nContent-Length: "
                                                    + total
                                                    + "\r\n\r\n");
                                    pour(peer, total, written);
                                });
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebClient client = new WebClient(rig)) {
            client.send(GET);
            client.until("\r\n\r\n");
            assertThat(whenItRests(written)).isLessThan(100L * MEBIBYTE);
            long read = 0;
            byte[] buffer = new byte[MEBIBYTE];
            while (read < total) {
                read += client.socket().getInputStream().read(buffer);
            }
            // The last piece can be here before its writer has counted it.
            Await.until(() -> written.get() == total);
        }
    }

    private static void pour(ScriptedHost.Peer peer, long total, AtomicLong written)
            throws IOException {
        String piece = "x".repeat(MEBIBYTE);
        while (written.get() < total) {
            peer.say(piece);
            written.addAndGet(MEBIBYTE);
        }
    }

    private static long whenItRests(AtomicLong counter) throws InterruptedException {
        long before = -1;
        while (before != counter.get()) {
            before = counter.get();
            Thread.sleep(1_000);
        }
        return before;
    }

    /// P10: and the other way round.
    @Test
    void p10HoldsTheSandboxBackWhileTheHostDoesNotRead() throws Exception {
        AtomicLong written = new AtomicLong();
        long total = 200L * MEBIBYTE;
        CountDownLatch reading = new CountDownLatch(1);
        try (ScriptedHost host =
                        ScriptedHost.plain(
                                peer -> {
                                    peer.head();
                                    await(reading);
                                    peer.skip(total);
                                    peer.say(ok("got it"));
                                    peer.drain();
                                });
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebClient client = new WebClient(rig)) {
            client.send(
                    "PUT / HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: "
                            + total
                            + "\r\n\r\n");
            Thread sending =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        String piece = "x".repeat(MEBIBYTE);
                                        try {
                                            while (written.get() < total) {
                                                client.send(piece);
                                                written.addAndGet(MEBIBYTE);
                                            }
                                        } catch (IOException e) {
                                            throw new AssertionError(e);
                                        }
                                    });
            assertThat(whenItRests(written)).isLessThan(100L * MEBIBYTE);
            reading.countDown();
            assertThat(client.answer()).endsWith("got it");
            sending.join();
        }
    }

    private static Limits spending(long up, long down, long requests) {
        Limits s = Limits.standard();
        Limits.Egress e = s.egress();
        return new Limits(
                s.http(),
                s.sharing(),
                s.git(),
                s.push(),
                s.mirror(),
                s.dns(),
                s.upstream(),
                new Limits.Egress(
                        up,
                        down,
                        up,
                        down,
                        requests,
                        e.connectionsPerHostMax(),
                        e.namesPerSandboxMax(),
                        e.helloBytesMax(),
                        e.helloSecondsMax(),
                        e.tunnelIdleSecondsMax(),
                        e.tunnelSecondsMax()),
                Limits.Api.STANDARD,
                Limits.Approvals.STANDARD);
    }

    /// S25: an allowed host can carry data out, but no more than this.
    @Test
    void endsWhatIsOverTheBudget() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("x".repeat(2_000))))) {
            try (WebRig few =
                    new WebRig(
                            WebRig.Terms.plain().with(spending(10_000, 10_000, 1)),
                            rule(host).done())) {
                assertThat(WebClient.ask(few, WebClient.get("/"))).startsWith("HTTP/1.1 200");
                assertThat(WebClient.ask(few, WebClient.get("/"))).contains("budget-spent");
                assertThat(host.heads()).hasSize(1);
                assertThat(few.recorded("egress.request"))
                        .containsExactly("allow -", "deny budget-spent");
            }
            try (WebRig little =
                    new WebRig(
                            WebRig.Terms.plain().with(spending(1_000, 1_000, 10)),
                            rule(host).done())) {
                String body = "b".repeat(2_000);
                assertThat(WebClient.ask(little, WebClient.post("/", "", body)))
                        .contains("budget-spent");
                assertThat(host.received()).doesNotContain(body);
                String answer = WebClient.ask(little, WebClient.get("/"));
                assertThat(answer).doesNotContain("xxx");
                assertThat(WebClient.isWhole(answer)).isFalse();
            }
        }
    }
}
