package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class RequestConnectionTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final String POST_9 =
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n";
    private static final Limits.Http HTTP = Limits.standard().http();

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    @Test
    void decodesNoSecondRequestWhileAnAnswerIsOwed() {
        RecordingDoor door = new RecordingDoor();
        try (Wire wire = new Wire(door)) {
            wire.send(GET.repeat(50));
            assertThat(door.heads).hasSize(1);
            assertThat(wire.quota.inFlight()).isEqualTo(1);
            RecordingDoor.answer(door.responders.getFirst(), "one");
            assertThat(door.heads).hasSize(2);
            assertThat(wire.answered()).containsOnlyOnce("HTTP/1.1 200 OK");
        }
        assertThat(door.aborts).hasSize(1);
    }

    @Test
    void servesPipelinedRequestsInOrder() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door)) {
            wire.send(GET.replace("/ ", "/a ") + POST_9.replace("/ ", "/b ") + "123456789" + GET);
            assertThat(wire.answered()).containsSubsequence("served /a", "served /b", "served /");
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    @Test
    void holdsTheBodyBackWhileTheDoorPauses() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        door.onOpen = (_, responder) -> responder.pauseBody();
        try (Wire wire = new Wire(door)) {
            wire.send(POST_9 + "123456789");
            assertThat(door.bodies).containsExactly("");
            wire.seconds(HTTP.bodyIdleSecondsMax() * 2);
            assertThat(wire.isOpen()).isTrue();
            door.responders.getFirst().resumeBody();
            assertThat(door.bodies).containsExactly("123456789");
            assertThat(wire.answered()).contains("served /");
        }
    }

    @Test
    void sendsContinueOnceAndOnlyWhenTheDoorSaysSo() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door)) {
            wire.send(POST_9.replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n"));
            assertThat(wire.answered()).isEmpty();
            door.responders.getFirst().proceed();
            door.responders.getFirst().proceed();
            assertThat(wire.answered()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            wire.send("123456789");
            assertThat(wire.answered()).startsWith("HTTP/1.1 200 OK");
            assertThat(wire.isOpen()).isTrue();
        }
    }

    @Test
    void e11_closesAfterRefusingAClientThatWaitsToContinue() {
        RecordingDoor door = new RecordingDoor();
        door.onOpen = (_, responder) -> responder.refuse(Refusal.REPO_UNAVAILABLE, "id1");
        try (Wire wire = new Wire(door)) {
            wire.send(POST_9.replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n"));
            assertThat(wire.answered())
                    .startsWith("HTTP/1.1 403 Forbidden\r\n")
                    .contains("connection: close");
            assertThat(wire.isOpen()).isFalse();
        }
    }

    @Test
    void refusesWithReasonAndIdAndReadsPastTheBody() {
        RecordingDoor door = new RecordingDoor();
        door.onOpen =
                (head, responder) -> {
                    if (head.method().equals("POST")) {
                        responder.refuse(Refusal.REPO_UNAVAILABLE, "0123456789abcdef");
                    } else {
                        RecordingDoor.answer(responder, "ok");
                    }
                };
        try (Wire wire = new Wire(door)) {
            wire.send(POST_9);
            assertThat(wire.answered())
                    .startsWith("HTTP/1.1 403 Forbidden\r\n")
                    .contains(
                            "content-type: text/plain; charset=utf-8\r\n",
                            "cache-control: no-store\r\n",
                            "sallyport-reason: repo-unavailable\r\n",
                            "sallyport-id: 0123456789abcdef\r\n",
                            "reason: repo-unavailable\nid: 0123456789abcdef\n")
                    .doesNotContain("connection: close");
            wire.send("123456789" + GET);
            assertThat(wire.answered()).startsWith("HTTP/1.1 200 OK");
            assertThat(door.bodies).containsExactly("", "");
            assertThat(door.ends).isZero();
            assertThat(door.aborts).isEmpty();
        }
    }

    @Test
    void closesWhenTooMuchBodyFollowsARefusal() {
        RecordingDoor door = new RecordingDoor();
        door.onOpen = (_, responder) -> responder.refuse(Refusal.BODY_TOO_LARGE, "id1");
        try (Wire wire = new Wire(door)) {
            wire.send(POST_9.replace(": 9", ": 9000000"));
            for (int i = 0; i < 100 && wire.isOpen(); i++) {
                wire.send("x".repeat(32_768));
            }
            assertThat(wire.isOpen()).isFalse();
            assertThat(wire.answered()).containsOnlyOnce("HTTP/1.1 413");
            assertThat(door.bodies).containsExactly("");
        }
    }

    @Test
    void writesAChunkedAnswerThatEndsOnce() {
        RecordingDoor door = new RecordingDoor();
        try (Wire wire = new Wire(door)) {
            wire.send(GET);
            Responder responder = door.responders.getFirst();
            responder.start(200, Map.of("content-type", "a/b"), OptionalLong.empty());
            responder.write(bytes("hello"));
            responder.write(Unpooled.EMPTY_BUFFER);
            responder.end();
            responder.end();
            responder.write(bytes("late"));
            responder.refuse(Refusal.INTERNAL, "late");
            assertThat(wire.answered())
                    .startsWith(
                            "HTTP/1.1 200 OK\r\ncontent-type: a/b\r\ntransfer-encoding: chunked\r\n")
                    .endsWith("\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
            assertThat(wire.isOpen()).isTrue();
        }
    }

    @Test
    void e12_cutsTheConnectionRatherThanMisframeAnAnswer() {
        for (String body : new String[] {"too long", "sho"}) {
            RecordingDoor door = new RecordingDoor();
            try (Wire wire = new Wire(door)) {
                wire.send(GET + GET);
                Responder responder = door.responders.getFirst();
                responder.start(200, Map.of(), OptionalLong.of(4));
                responder.write(bytes(body));
                responder.end();
                assertThat(wire.isOpen()).isFalse();
                assertThat(door.heads).hasSize(1);
                assertThat(wire.quota.inFlight()).isZero();
            }
        }
    }

    @Test
    void g19_cutsTheConnectionWhenAFieldOfTheAnswerHasControlBytes() {
        RecordingDoor door = new RecordingDoor();
        try (Wire wire = new Wire(door)) {
            wire.send(GET);
            door.responders
                    .getFirst()
                    .start(200, Map.of("x", "a\r\nset-cookie: b"), OptionalLong.empty());
            assertThat(wire.isOpen()).isFalse();
            assertThat(wire.answered()).doesNotContain("set-cookie");
        }
    }

    @Test
    void answersHeadWithoutABody() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door)) {
            wire.send(GET.replace("GET", "HEAD"));
            assertThat(wire.answered()).isEqualTo("HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n");
        }
    }

    @Test
    void endsAHeadThatDoesNotArriveInTime() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door)) {
            for (int i = 0; i < HTTP.headSecondsMax(); i++) {
                wire.send(GET.substring(i, i + 1)).seconds(1);
            }
            assertThat(wire.answered()).startsWith("HTTP/1.1 408 ").contains("connection: close");
            assertThat(wire.isOpen()).isFalse();
            assertThat(door.heads).isEmpty();
        }
    }

    @Test
    void closesAConnectionThatSendsNothing() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door)) {
            wire.seconds(HTTP.headSecondsMax());
            assertThat(wire.isOpen()).isFalse();
            assertThat(wire.answered()).isEmpty();
        }
    }

    @Test
    void closesAKeptConnectionAfterItsIdleTime() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door)) {
            wire.send(GET).seconds(HTTP.keepAliveSecondsMax() - 1);
            assertThat(wire.isOpen()).isTrue();
            wire.seconds(1);
            assertThat(wire.isOpen()).isFalse();
        }
    }

    @Test
    void endsABodyThatDribbles() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door)) {
            wire.send(POST_9.replace(": 9", ": 9000"));
            for (int i = 0; i < HTTP.bodyIdleSecondsMax() && wire.isOpen(); i++) {
                wire.send("x").seconds(1);
            }
            assertThat(wire.isOpen()).isFalse();
            assertThat(door.aborts).containsExactly(Refusal.REQUEST_TIMEOUT);
            assertThat(door.ends).isZero();
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    @Test
    void letsABodyTakeItsTimeWhenItKeepsThePace() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door)) {
            wire.send(POST_9.replace(": 9", ": 20000"));
            for (int i = 0; i < 200; i++) {
                wire.send("x".repeat(100)).seconds(1);
            }
            assertThat(wire.answered()).startsWith("HTTP/1.1 200 OK");
        }
    }

    @Test
    void endsARequestThatTakesTooLongAltogether() {
        RecordingDoor door = new RecordingDoor();
        try (Wire wire = new Wire(door)) {
            wire.send(GET).seconds(HTTP.requestSecondsMax());
            assertThat(wire.isOpen()).isFalse();
            assertThat(door.aborts).containsExactly(Refusal.REQUEST_TIMEOUT);
        }
    }

    @Test
    void tellsTheDoorOnceWhenTheSandboxGoesAway() {
        RecordingDoor door = new RecordingDoor();
        Wire wire = new Wire(door);
        wire.send(POST_9 + "1234");
        wire.close();
        assertThat(door.aborts).hasSize(1);
        assertThat(door.ends).isZero();
        assertThat(wire.quota.inFlight()).isZero();
    }

    @Test
    void g9_refusesWithoutDetailWhenADoorFails() {
        RecordingDoor door = new RecordingDoor();
        door.onOpen =
                (_, _) -> {
                    throw new IllegalStateException("secret detail");
                };
        try (Wire wire = new Wire(door)) {
            wire.send(GET);
            assertThat(wire.answered())
                    .startsWith("HTTP/1.1 500 ")
                    .doesNotContain("secret detail", "IllegalState");
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    @Test
    void requestsAboveTheRateWaitUntilTheirTimeHasCome() {
        Limits limits = sharing(new Limits.Sharing(8, 8, 8, 8, 2, 256, 30));
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door, limits)) {
            wire.send(GET.repeat(20));
            assertThat(door.heads).hasSize(2);
            wire.seconds(3);
            assertThat(door.heads).hasSize(8);
            wire.seconds(6);
            assertThat(door.heads).hasSize(20);
            assertThat(wire.answered()).doesNotContain("HTTP/1.1 429 ");
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    @Test
    void aRequestAboveTheNumberInFlightWaitsForAPlaceWithItsBody() {
        Limits limits = sharing(new Limits.Sharing(8, 8, 1, 8, 100, 256, 30));
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door, limits)) {
            wire.quota.enter(new FakeGuest());
            wire.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody");
            assertThat(wire.seconds(5).answered()).isEmpty();
            assertThat(door.heads).isEmpty();
            wire.quota.leave();
            wire.channel.runPendingTasks();
            assertThat(wire.answered()).startsWith("HTTP/1.1 200 ");
            assertThat(door.bodies).containsExactly("body");
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    @Test
    void turnsARequestAwayThatHasWaitedTooLong() {
        Limits limits = sharing(new Limits.Sharing(8, 8, 1, 8, 100, 256, 3));
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door, limits)) {
            wire.quota.enter(new FakeGuest());
            wire.send(GET);
            assertThat(wire.seconds(2).answered()).isEmpty();
            assertThat(wire.seconds(1).answered())
                    .startsWith("HTTP/1.1 429 ")
                    .contains("retry-after: 1", "Sallyport: ");
            wire.seconds(1).send(GET.replace("GET", "HEAD"));
            assertThat(wire.seconds(3).answered())
                    .as("a body would be read as the next answer")
                    .startsWith("HTTP/1.1 429 ")
                    .contains("content-length: ")
                    .endsWith("\r\n\r\n");
            wire.quota.leave();
            wire.channel.runPendingTasks();
            assertThat(door.heads).isEmpty();
            assertThat(wire.quota.inFlight()).isZero();
            wire.seconds(1).send(GET);
            assertThat(door.heads).hasSize(1);
        }
    }

    @Test
    void aConnectionThatEndsInLineHoldsNoPlace() {
        Limits limits = sharing(new Limits.Sharing(8, 8, 1, 8, 100, 256, 30));
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door, limits)) {
            wire.quota.enter(new FakeGuest());
            wire.send(GET);
            var _ = wire.channel.close();
            wire.quota.leave();
            wire.channel.runPendingTasks();
            assertThat(door.heads).isEmpty();
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    @Test
    void aConnectionIsSpareExactlyWhileNoRequestWouldBeLostWithIt() {
        RecordingDoor door = new RecordingDoor();
        try (Wire wire = new Wire(door)) {
            assertThat(Spare.isMarked(wire.channel)).isTrue();
            wire.send("GET /");
            assertThat(Spare.isMarked(wire.channel)).isTrue();
            wire.send(GET.substring(5));
            assertThat(Spare.isMarked(wire.channel)).isFalse();
            RecordingDoor.answer(door.responders.getFirst(), "done");
            assertThat(Spare.isMarked(wire.channel)).isTrue();
        }
    }

    private static Limits sharing(Limits.Sharing sharing) {
        Limits standard = Limits.standard();
        return new Limits(
                standard.http(),
                sharing,
                standard.git(),
                Limits.standard().push(),
                Limits.standard().mirror(),
                standard.dns(),
                standard.upstream(),
                standard.egress(),
                Limits.Api.STANDARD,
                Limits.Approvals.STANDARD);
    }
}
