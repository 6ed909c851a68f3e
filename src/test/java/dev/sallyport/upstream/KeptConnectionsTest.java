package dev.sallyport.upstream;

import static dev.sallyport.egress.ScriptedHost.answering;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.egress.ScriptedHost;
import dev.sallyport.fixture.Await;
import dev.sallyport.policy.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// E12: a kept connection belongs to one session, host and secret, and nothing on it is taken for
/// the answer to another request. Counted with a real TLS server: one peer is one handshake.
final class KeptConnectionsTest {
    private static final String HELLO = KeptRig.answer("hello");
    private static final String TOKEN = "token-of-a-session-0001";
    private static final String OTHER = "token-of-a-session-0002";

    /// Answers each request when the test says so.
    private static ScriptedHost.Script holding(Semaphore answers) {
        return peer -> {
            while (!peer.head().isEmpty()) {
                peer.readBody();
                answers.acquireUninterruptibly();
                peer.say(HELLO);
            }
        };
    }

    private static String authorization(String head) {
        return head.lines()
                .filter(line -> line.toLowerCase(java.util.Locale.ROOT).startsWith("authorization"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void twentyRequestsNeedOneHandshake() throws Exception {
        try (KeptRig rig = new KeptRig(answering(HELLO))) {
            KeptRig.Box box = KeptRig.Box.of(TOKEN);
            for (int i = 0; i < 20; i++) {
                assertThat(i % 2 == 0 ? rig.get(box) : rig.post(box, "body")).isEqualTo("hello");
            }
            assertThat(rig.host.peers).hasSize(1);
            assertThat(rig.host.heads()).hasSize(20);
        }
    }

    @Test
    void twoSessionsShareNothing() throws Exception {
        try (KeptRig rig = new KeptRig(answering(HELLO))) {
            CredentialBook common = KeptRig.Box.of(TOKEN).book();
            List<KeptRig.Box> boxes =
                    List.of(
                            KeptRig.Box.of(TOKEN),
                            KeptRig.Box.of(TOKEN),
                            new KeptRig.Box(SessionId.random(), common),
                            new KeptRig.Box(SessionId.random(), common));
            for (int i = 0; i < 3; i++) {
                for (KeptRig.Box box : boxes) {
                    assertThat(rig.get(box)).isEqualTo("hello");
                }
            }
            assertThat(rig.host.peers).hasSize(4).allMatch(peer -> peer.heads.size() == 3);
            assertThat(rig.host.peers).noneMatch(peer -> peer.resuming);
        }
    }

    @Test
    void aRotatedSecretNeverRidesOnAnOldConnection() throws Exception {
        try (KeptRig rig = new KeptRig(answering(HELLO))) {
            KeptRig.Box before = KeptRig.Box.of(TOKEN);
            KeptRig.Box after = before.rotated(OTHER);
            rig.get(before);
            // The order in which the old one ends and the new one is used is not ours to choose.
            rig.get(after);
            rig.client.end(before.book());
            rig.untilClosed(0);
            rig.get(after);
            assertThat(rig.host.peers).hasSize(2).noneMatch(peer -> peer.resuming);
            for (ScriptedHost.Peer peer : rig.host.peers) {
                assertThat(peer.heads.stream().map(KeptConnectionsTest::authorization).distinct())
                        .hasSize(1);
            }
        }
    }

    @Test
    void aConnectionOfOldRightsServesNoRequestUnderNewOnes() throws Exception {
        try (KeptRig rig = new KeptRig(answering(HELLO))) {
            SessionId session = SessionId.random();
            KeptRig.Box before = new KeptRig.Box(session, new CredentialBook(List.of()));
            KeptRig.Box after = new KeptRig.Box(session, new CredentialBook(List.of()));
            for (KeptRig.Box box : List.of(before, after, before, after)) {
                assertThat(rig.get(box)).isEqualTo("hello");
            }
            assertThat(rig.host.peers).hasSize(2).noneMatch(peer -> peer.resuming);
        }
    }

    @Test
    void everyMintedCredentialHasAConnectionOfItsOwn() throws Exception {
        try (KeptRig rig = new KeptRig(answering(HELLO))) {
            KeptRig.Box box =
                    new KeptRig.Box(
                            SessionId.random(), new CredentialBook(List.of(new KeptRig.Minting())));
            for (int i = 0; i < 3; i++) {
                assertThat(rig.get(box)).isEqualTo("hello");
            }
            assertThat(rig.host.peers).hasSize(3).noneMatch(peer -> peer.resuming);
        }
    }

    /// Also for the mirror, whose copies are given to sandboxes.
    @Test
    void anEchoOfTheVerySecretThatWasWrittenIsSeenThoughItWasRenewedMeanwhile() throws Exception {
        Semaphore answers = new Semaphore(0);
        ScriptedHost.Script repeating =
                peer -> {
                    peer.head();
                    answers.acquireUninterruptibly();
                    peer.say(KeptRig.answer("your token is minted-token-1"));
                };
        try (KeptRig rig = new KeptRig(repeating)) {
            KeptRig.Box box =
                    new KeptRig.Box(
                            SessionId.random(), new CredentialBook(List.of(new KeptRig.Minting())));
            AnswerStream first = rig.open(box, "");
            Await.until(() -> rig.host.heads().size() == 1);
            AnswerStream second = rig.open(box, "");
            Await.until(() -> rig.host.heads().size() == 2);
            answers.release(2);
            assertThat(KeptRig.read(first)).isEqualTo("upstream-misbehaved");
            assertThat(KeptRig.read(second)).isEqualTo("your token is minted-token-1");
        }
    }

    @Test
    void aRequestThatOutlivesItsRightsLeavesNoConnection() throws Exception {
        Semaphore answers = new Semaphore(0);
        try (KeptRig rig = new KeptRig(holding(answers))) {
            KeptRig.Box box = KeptRig.Box.of(TOKEN);
            AnswerStream answer = rig.open(box, "");
            Await.until(() -> rig.host.heads().size() == 1);
            rig.client.end(box.book());
            answers.release();
            assertThat(KeptRig.read(answer)).isEqualTo("hello");
            rig.untilClosed(0);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theEndOfASessionClosesItsConnections(boolean told) throws Exception {
        try (KeptRig rig = new KeptRig(answering(HELLO))) {
            KeptRig.Box box = KeptRig.Box.of(TOKEN);
            KeptRig.Box neighbour = KeptRig.Box.of(OTHER);
            rig.get(box);
            rig.get(neighbour);
            if (told) {
                rig.client.end(box.book());
                rig.untilClosed(0);
            }
            box.book().wipe();
            assertThat(rig.get(box)).isIn("session-ended", "credential-missing");
            assertThat(rig.get(neighbour)).isEqualTo("hello");
            assertThat(rig.host.heads()).hasSize(3);
            assertThat(rig.host.peers).filteredOn(peer -> peer.heads.size() == 2).hasSize(1);
        }
    }

    /// Three connections come to rest one after the other.
    private static void restOneByOne(KeptRig rig, Semaphore answers, List<KeptRig.Box> boxes)
            throws Exception {
        List<AnswerStream> asked = new ArrayList<>();
        for (KeptRig.Box box : boxes) {
            asked.add(rig.open(box, ""));
            int count = asked.size();
            Await.until(() -> rig.host.heads().size() == count);
        }
        for (AnswerStream answer : asked) {
            answers.release();
            assertThat(KeptRig.read(answer)).isEqualTo("hello");
        }
    }

    @Test
    void overTheBoundOfASandboxItsOldestGoes() throws Exception {
        Semaphore answers = new Semaphore(0, true);
        try (KeptRig rig =
                new KeptRig(holding(answers), 2, 512, KeptRig.LONG_SECONDS, KeptRig.LONG_SECONDS)) {
            KeptRig.Box neighbour = KeptRig.Box.of(OTHER);
            KeptRig.Box box = KeptRig.Box.of(TOKEN);
            restOneByOne(rig, answers, List.of(neighbour, box, box, box));
            rig.untilClosed(1);
            answers.release(2);
            assertThat(rig.get(neighbour)).isEqualTo("hello");
            assertThat(rig.get(box)).isEqualTo("hello");
            assertThat(rig.host.peers).hasSize(4).filteredOn(peer -> peer.over).hasSize(1);
        }
    }

    @Test
    void overTheBoundOfAllTheOldestGoes() throws Exception {
        Semaphore answers = new Semaphore(0, true);
        try (KeptRig rig =
                new KeptRig(holding(answers), 16, 2, KeptRig.LONG_SECONDS, KeptRig.LONG_SECONDS)) {
            List<KeptRig.Box> boxes =
                    Stream.generate(() -> KeptRig.Box.of(TOKEN)).limit(3).toList();
            restOneByOne(rig, answers, boxes);
            rig.untilClosed(0);
            assertThat(rig.host.peers).hasSize(3).filteredOn(peer -> peer.over).hasSize(1);
        }
    }

    @Test
    void aConnectionDoesNotRestForLong() throws Exception {
        try (KeptRig rig = new KeptRig(answering(HELLO), 16, 512, 1, KeptRig.LONG_SECONDS)) {
            rig.get(KeptRig.Box.of(TOKEN));
            rig.untilClosed(0);
        }
    }

    @Test
    void anAddressIsNotBelievedForLong() throws Exception {
        try (KeptRig rig = new KeptRig(answering(HELLO), 16, 512, KeptRig.LONG_SECONDS, 1)) {
            KeptRig.Box box = KeptRig.Box.of(TOKEN);
            rig.get(box);
            Thread.sleep(1_100);
            assertThat(rig.get(box)).isEqualTo("hello");
            assertThat(rig.host.peers).hasSize(2);
        }
    }

    @Test
    void aHostThatClosesAnIdleConnectionIsNoErrorAndItsSessionIsResumed() throws Exception {
        try (KeptRig rig =
                new KeptRig(
                        peer -> {
                            peer.head();
                            peer.readBody();
                            peer.say(HELLO);
                        })) {
            KeptRig.Box box = KeptRig.Box.of(TOKEN);
            for (int i = 0; i < 4; i++) {
                assertThat(rig.get(box)).isEqualTo("hello");
                rig.untilClosed(i);
            }
            assertThat(rig.host.peers).hasSize(4);
            assertThat(rig.host.peers).filteredOn(peer -> peer.resuming).hasSize(3);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onlyWhatIsSafeToRepeatIsAskedAgain(boolean repeatable) throws Exception {
        ScriptedHost.Script closingAtTheSecondRequest =
                peer -> {
                    peer.head();
                    peer.say(HELLO);
                    peer.head();
                    peer.readBody();
                };
        try (KeptRig rig = new KeptRig(closingAtTheSecondRequest)) {
            KeptRig.Box box = KeptRig.Box.of(TOKEN);
            rig.get(box);
            String second = repeatable ? rig.get(box) : rig.post(box, "a pack");
            assertThat(second).isEqualTo(repeatable ? "hello" : "upstream-misbehaved");
            assertThat(rig.host.heads()).hasSize(repeatable ? 3 : 2);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void extraBytesAreNeverTakenForTheNextAnswer(boolean together) throws Exception {
        Semaphore answered = new Semaphore(0);
        ScriptedHost.Script poisoning =
                peer -> {
                    peer.head();
                    peer.say(together ? HELLO + KeptRig.answer("poison") : HELLO);
                    answered.acquireUninterruptibly();
                    peer.say(KeptRig.answer("poison"));
                    peer.drain();
                };
        try (KeptRig rig = new KeptRig(poisoning)) {
            KeptRig.Box box = KeptRig.Box.of(TOKEN);
            for (int i = 0; i < 3; i++) {
                assertThat(rig.get(box)).isEqualTo("hello");
                answered.release();
                rig.untilClosed(i);
            }
            assertThat(rig.host.peers).hasSize(3);
        }
    }
}
