package dev.sallyport.egress;

import static dev.sallyport.egress.EgressRig.HOST;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A host may ask for a second hello (RFC 8446, section 4.1.4); what the sandbox says then is
/// judged as the first was.
final class SecondHelloTest {
    private static final byte[] HELLO = Hellos.of(HOST.value());
    private static final byte[] CHANGE_CIPHER_SPEC = {20, 3, 3, 0, 1, 1};

    private TcpUpstream upstream;
    private EgressRig rig;

    @BeforeEach
    void open() throws IOException {
        upstream = new TcpUpstream(Answers::echo);
        rig = new EgressRig(Limits.standard(), EgressRig.rule(HOST.value(), upstream.dial(), 443));
    }

    private void start(TcpUpstream.Script script) throws IOException {
        start(Limits.standard().egress(), script);
    }

    private void start(Limits.Egress egress, TcpUpstream.Script script) throws IOException {
        close();
        upstream = new TcpUpstream(script);
        rig =
                new EgressRig(
                        EgressRig.limits(egress),
                        EgressRig.rule(HOST.value(), upstream.dial(), 443));
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
        upstream.close();
    }

    private void assertEnded(String why) throws InterruptedException {
        Await.until("the end", () -> !rig.recorded("egress.end").isEmpty());
        assertThat(rig.details("egress.end", "why")).containsExactly(why);
    }

    /// Nothing of the sandbox but its hello goes out before the host has answered.
    @Test
    void e17_holdsBackWhatIsSentAheadUntilTheHostHasAnswered() throws Exception {
        CompletableFuture<Void> mayAnswer = new CompletableFuture<>();
        CompletableFuture<Integer> cameAhead = new CompletableFuture<>();
        start(
                peer -> {
                    Answers.hello(peer);
                    mayAnswer.join();
                    cameAhead.complete(peer.socket().getInputStream().available());
                    peer.say(Answers.SERVER_HELLO);
                    peer.takeAll();
                });
        try (RawSocket client =
                rig.secure()
                        .send(
                                Hellos.joined(
                                        HELLO,
                                        "ahead"
                                                .getBytes(
                                                        java.nio.charset.StandardCharsets
                                                                .US_ASCII)))) {
            Await.until("the hello", () -> upstream.received(0).length >= HELLO.length);
            rig.drain();
            mayAnswer.complete(null);
            assertThat(cameAhead).succeedsWithin(60, TimeUnit.SECONDS).isEqualTo(0);
            Await.until("the rest", () -> upstream.received(0).length == HELLO.length + 5);
            client.send("!");
            Await.until("the end", () -> upstream.received(0).length == HELLO.length + 6);
        }
        assertThat(upstream.received(0)).endsWith("ahead!".getBytes(StandardCharsets.US_ASCII));
    }

    private void startRetrying() throws IOException {
        start(
                peer -> {
                    Answers.hello(peer);
                    peer.say(Answers.HELLO_RETRY);
                    peer.takeAll();
                });
    }

    private RawSocket askedAgain() throws IOException {
        RawSocket client = rig.secure().send(HELLO);
        assertThat(client.take(Answers.HELLO_RETRY.length)).isEqualTo(Answers.HELLO_RETRY);
        return client;
    }

    @Test
    void e17_letsASecondHelloThroughThatNamesTheSameHost() throws Exception {
        startRetrying();
        byte[] second = Hellos.naming(HOST.value()).with(44, new byte[9]).inRecords(List.of(60));
        byte[] all = Hellos.joined(CHANGE_CIPHER_SPEC, second, CHANGE_CIPHER_SPEC);
        try (RawSocket client = askedAgain()) {
            for (byte each : all) {
                client.send(new byte[] {each});
            }
            Await.until(
                    "all of it", () -> upstream.received(0).length == HELLO.length + all.length);
        }
        assertThat(upstream.received(0)).isEqualTo(Hellos.joined(HELLO, all));
    }

    @Test
    void e17_cutsWhenASecondHelloNamesAnotherHost() throws Exception {
        byte[] other = Hellos.of("evil.example");
        for (byte[] second : List.of(other, Hellos.joined(CHANGE_CIPHER_SPEC, other))) {
            startRetrying();
            try (RawSocket client = askedAgain()) {
                client.send(second).rest();
            }
            assertEnded("names-disagree");
            assertThat(rig.recorded("egress.cut")).containsExactly("deny names-disagree");
            assertThat(upstream.received(0)).isEqualTo(HELLO);
        }
    }

    @Test
    void e17_cutsWhenASecondHelloIsNone() throws Exception {
        byte[] half = {20, 3, 3};
        for (byte[] second :
                List.of(
                        Hellos.naming(HOST.value()).withoutName().bytes(),
                        new byte[] {23, 3, 3, 0, 1, 0},
                        Hellos.joined(half, HELLO),
                        Hellos.joined(CHANGE_CIPHER_SPEC, CHANGE_CIPHER_SPEC, HELLO))) {
            startRetrying();
            try (RawSocket client = askedAgain()) {
                client.send(second).rest();
            }
            assertEnded("bad-hello");
            assertThat(upstream.received(0)).isEqualTo(HELLO);
        }
    }

    @Test
    void e17_findsARetryHoweverItArrives() throws Exception {
        start(
                peer -> {
                    Answers.hello(peer);
                    for (byte each : Answers.HELLO_RETRY) {
                        peer.say(new byte[] {each});
                    }
                    peer.takeAll();
                });
        try (RawSocket client = askedAgain()) {
            client.send(Hellos.of("evil.example")).rest();
        }
        assertEnded("names-disagree");
    }

    @Test
    void e17_cutsWhenAHostHidesWhetherItAsksAgain() throws Exception {
        start(
                peer -> {
                    Answers.hello(peer);
                    peer.say(new byte[] {22, 3, 3, 0, 1, 2});
                    peer.takeAll();
                });
        try (RawSocket client = rig.secure().send(HELLO)) {
            client.rest();
        }
        assertEnded("upstream-misbehaved");
    }

    @Test
    void passesOnTheAlertOfAHost() throws Exception {
        byte[] alert = {21, 3, 3, 0, 2, 2, 40};
        start(
                peer -> {
                    Answers.hello(peer);
                    peer.say(alert);
                });
        try (RawSocket client = rig.secure().send(HELLO)) {
            assertThat(client.rest()).isEqualTo(alert);
        }
        assertEnded("closed");
    }
}
