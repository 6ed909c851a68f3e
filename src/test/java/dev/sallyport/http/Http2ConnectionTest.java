package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class Http2ConnectionTest {
    private static final Limits.Http HTTP = Limits.standard().http();

    @Test
    void aRequestReachesTheDoorAsItsHttp11TwinWould() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Http2Wire wire = new Http2Wire(door)) {
            List<Http2Wire.Field> fields = Http2Wire.post("/a/b?c=d");
            for (String crumb : List.of("a=1", "b=2")) {
                fields.add(new Http2Wire.Field("cookie", crumb));
            }
            fields.add(new Http2Wire.Field("te", "trailers"));
            fields.add(new Http2Wire.Field("accept", "text/plain"));
            wire.head(1, fields, 0).data(1, "hello ", 0).data(1, "world", Http2Wire.END_STREAM);
            assertThat(wire.answer(1)).contains(":status: 200", "served /a/b", "END");
            RequestHead head = door.heads.getFirst();
            assertThat(head.method()).isEqualTo("POST");
            assertThat(head.path()).isEqualTo("/a/b");
            assertThat(head.query()).isEqualTo("c=d");
            assertThat(head.host()).isEqualTo("api.example.com");
            assertThat(head.fields())
                    .containsEntry("cookie", "a=1; b=2")
                    .containsEntry("accept", "text/plain")
                    .containsEntry("te", "trailers");
            assertThat(head.framing()).isEqualTo(new BodyFraming.Chunked());
            assertThat(door.bodies).containsExactly("hello world");
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    @Test
    void servesManyStreamsAtOnceAndInAnyOrder() {
        RecordingDoor door = new RecordingDoor();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.get("/one"), Http2Wire.END_STREAM)
                    .head(3, Http2Wire.get("/two"), Http2Wire.END_STREAM);
            assertThat(wire.quota.inFlight()).isEqualTo(2);
            RecordingDoor.answer(door.responders.get(1), "second");
            assertThat(wire.answer(3)).contains(":status: 200", "second", "END");
            RecordingDoor.answer(door.responders.get(0), "first");
            assertThat(wire.answer(1)).contains(":status: 200", "first", "END");
            assertThat(wire.isOpen()).isTrue();
        }
    }

    @Test
    void answersHeadWithoutABody() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, headRequest(), Http2Wire.END_STREAM);
            assertThat(wire.answer(1))
                    .contains(":status: 200", "content-length: 8", "END")
                    .doesNotContain("served");
        }
    }

    static List<Http2Wire.Field> headRequest() {
        List<Http2Wire.Field> head = Http2Wire.get("/");
        head.set(0, new Http2Wire.Field(":method", "HEAD"));
        return head;
    }

    @Test
    void holdsTheBodyBackWhileTheDoorPauses() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.post("/"), 0).data(1, "one", 0);
            assertThat(door.bodies).containsExactly("one");
            door.responders.getFirst().pauseBody();
            for (int i = 0; i < 3; i++) {
                wire.data(1, "x".repeat(16_000), 0);
            }
            wire.data(1, "last", Http2Wire.END_STREAM).seconds(HTTP.bodyIdleSecondsMax() * 2);
            assertThat(door.bodies).containsExactly("one");
            assertThat(door.ends).isZero();
            assertThat(wire.frames()).noneMatch(f -> f.type() == Http2Wire.WINDOW_UPDATE);
            door.responders.getFirst().resumeBody();
            assertThat(door.bodies.getFirst()).hasSize(3 + 48_000 + 4).endsWith("last");
            assertThat(wire.answer(1)).contains("served /");
        }
    }

    @Test
    void closesAConnectionThatSendsMoreThanTheWindowOfAPausedBody() {
        RecordingDoor door = new RecordingDoor();
        door.onOpen = (_, responder) -> responder.pauseBody();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.post("/"), 0);
            for (int i = 0; i < 5; i++) {
                wire.data(1, "x".repeat(16_000), 0);
            }
            assertThat(wire.answer(1)).contains("error 3");
            wire.seconds(1);
            assertThat(door.bodies).containsExactly("");
            assertThat(door.aborts).hasSize(1);
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    @Test
    void aPausedRequestIsAbortedWhenItsConnectionGoes() {
        RecordingDoor door = new RecordingDoor();
        door.onOpen = (_, responder) -> responder.pauseBody();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.post("/"), 0).data(1, "held", 0);
            assertThat(wire.quota.inFlight()).isEqualTo(1);
            var _ = wire.channel.close();
            wire.channel.runPendingTasks();
            assertThat(door.aborts).containsExactly(Refusal.SESSION_ENDED);
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    @Test
    void aPausedRequestIsAbortedWhenTheSandboxResetsIt() {
        RecordingDoor door = new RecordingDoor();
        door.onOpen = (_, responder) -> responder.pauseBody();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.post("/"), 0).data(1, "held", 0).reset(1);
            assertThat(door.aborts).containsExactly(Refusal.SESSION_ENDED);
            assertThat(wire.quota.inFlight()).isZero();
            assertThat(wire.isOpen()).isTrue();
        }
    }

    @Test
    void sendsContinueOnceAndOnlyWhenTheDoorSaysSo() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.with(Http2Wire.post("/"), "expect", "100-continue"), 0);
            assertThat(wire.answer(1)).isEmpty();
            door.responders.getFirst().proceed();
            door.responders.getFirst().proceed();
            assertThat(wire.answer(1)).containsOnlyOnce(":status: 100");
            wire.data(1, "body", Http2Wire.END_STREAM);
            assertThat(wire.answer(1)).contains(":status: 200");
        }
    }

    @Test
    void refusesWithReasonAndIdAndReadsPastTheBody() {
        RecordingDoor door = new RecordingDoor();
        door.onOpen = (_, responder) -> responder.refuse(Refusal.URL_NOT_ALLOWED, "id1");
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.post("/"), 0);
            assertThat(wire.answer(1))
                    .contains(":status: 403", "sallyport-reason: url-not-allowed", "id: id1");
            wire.data(1, "late", 0).data(1, "later", Http2Wire.END_STREAM);
            assertThat(door.bodies).containsExactly("");
            assertThat(wire.answer(1)).isEmpty();
            wire.head(3, Http2Wire.get("/"), Http2Wire.END_STREAM);
            assertThat(wire.answer(3)).contains(":status: 403");
        }
    }

    /// As curl does: it has its answer, so it sends no more of the body and ends the stream.
    @Test
    void aBodyThatItsClientGivesUpAfterTheAnswerIsNoMatterForTheRecord() {
        RecordingDoor door = new RecordingDoor();
        try (Http2Wire wire = new Http2Wire(door)) {
            List<Http2Wire.Field> announcing = Http2Wire.post("/");
            announcing.add(new Http2Wire.Field("content-length", "9"));
            wire.head(1, announcing, 0);
            door.responders.getFirst().refuse(Refusal.URL_NOT_ALLOWED, "some-id");
            wire.data(1, "one", 0).data(1, "", Http2Wire.END_STREAM);
            assertThat(wire.answer(1)).contains(":status: 403", "END");
            assertThat(wire.recorded).isEmpty();
            assertThat(wire.quota.inFlight()).isZero();

            // The same without an answer is the door's to record, and nothing is served.
            wire.head(3, announcing, 0).data(3, "one", Http2Wire.END_STREAM);
            assertThat(wire.recorded).isEmpty();
            assertThat(door.aborts).containsExactly(Refusal.MALFORMED_BODY);
            assertThat(wire.isOpen()).isTrue();
        }
    }

    @Test
    void tellsTheClientToStopWhenTooMuchBodyFollowsAnAnswer() {
        RecordingDoor door = new RecordingDoor();
        door.onOpen = (_, responder) -> responder.refuse(Refusal.BODY_TOO_LARGE, "id1");
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.post("/"), 0);
            StringBuilder answer = new StringBuilder();
            for (int i = 0; i < 80; i++) {
                wire.data(1, "x".repeat(16_000), 0);
                answer.append(wire.answer(1));
            }
            assertThat(answer).contains(":status: 413").containsOnlyOnce("error 0");
            assertThat(door.bodies).containsExactly("");
            assertThat(wire.isOpen()).isTrue();
        }
    }

    @Test
    void e12_resetsTheStreamRatherThanMisframeAnAnswer() {
        for (String body : new String[] {"too long", "sho"}) {
            RecordingDoor door = new RecordingDoor();
            try (Http2Wire wire = new Http2Wire(door)) {
                wire.head(1, Http2Wire.get("/"), Http2Wire.END_STREAM);
                Responder responder = door.responders.getFirst();
                responder.start(200, Map.of(), OptionalLong.of(4));
                responder.write(Unpooled.copiedBuffer(body, StandardCharsets.US_ASCII));
                responder.end();
                assertThat(wire.answer(1)).contains("error 2").doesNotContain("END");
                assertThat(wire.quota.inFlight()).isZero();
                assertThat(wire.isOpen()).isTrue();
            }
        }
    }

    @Test
    void g19_resetsTheStreamWhenAFieldOfTheAnswerHasControlBytes() {
        RecordingDoor door = new RecordingDoor();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.get("/"), Http2Wire.END_STREAM);
            Map<String, String> fields = Map.of("x", "a\r\nset-cookie: b");
            door.responders.getFirst().start(200, fields, OptionalLong.empty());
            assertThat(wire.answer(1)).contains("error 2").doesNotContain("set-cookie");
        }
    }

    @Test
    void aDoorThatFailsEndsItsOwnStreamOnly() {
        RecordingDoor door = new RecordingDoor();
        door.onEnd =
                (head, responder) -> {
                    if (head.path().equals("/bad")) {
                        throw new IllegalStateException("made for this test");
                    }
                    RecordingDoor.answer(responder, "fine");
                };
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.get("/bad"), Http2Wire.END_STREAM);
            assertThat(wire.answer(1)).contains(":status: 500").doesNotContain("made for");
            assertThat(door.aborts).containsExactly(Refusal.INTERNAL);
            wire.head(3, Http2Wire.get("/"), Http2Wire.END_STREAM);
            assertThat(wire.answer(3)).contains("fine");
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    @Test
    void endsABodyThatDoesNotCome() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.post("/"), 0).seconds(HTTP.bodyIdleSecondsMax() - 1);
            assertThat(door.aborts).isEmpty();
            wire.seconds(1);
            assertThat(door.aborts).containsExactly(Refusal.REQUEST_TIMEOUT);
            assertThat(wire.answer(1)).contains("error 8");
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    @Test
    void endsARequestThatTakesTooLong() {
        RecordingDoor door = new RecordingDoor();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.get("/"), Http2Wire.END_STREAM)
                    .seconds(HTTP.requestSecondsMax() - 1);
            assertThat(door.aborts).isEmpty();
            wire.seconds(1);
            assertThat(door.aborts).containsExactly(Refusal.REQUEST_TIMEOUT);
        }
    }

    @Test
    void closesAConnectionThatAsksNothing() {
        try (Http2Wire wire = new Http2Wire(RecordingDoor.answeringAtTheEnd())) {
            wire.seconds(HTTP.headSecondsMax());
            assertThat(wire.isOpen()).isFalse();
        }
        try (Http2Wire wire = new Http2Wire(RecordingDoor.answeringAtTheEnd())) {
            wire.head(1, Http2Wire.get("/"), Http2Wire.END_STREAM).seconds(HTTP.headSecondsMax());
            assertThat(wire.isOpen()).isTrue();
            wire.seconds(HTTP.keepAliveSecondsMax());
            assertThat(wire.isOpen()).isFalse();
        }
    }

    /// E11, CVE-2023-44487: what a request costs cannot be had again and again by resetting it.
    @Test
    void e11_rapidResetsEndTheConnection() {
        RecordingDoor door = new RecordingDoor();
        Limits limits = manyRequestsPerSecond();
        try (Http2Wire wire = new Http2Wire(door, limits)) {
            for (int i = 0; i < 1_000 && wire.isOpen(); i++) {
                wire.head(2 * i + 1, Http2Wire.get("/"), Http2Wire.END_STREAM).reset(2 * i + 1);
            }
            assertThat(wire.isOpen()).isFalse();
            assertThat(door.heads).hasSizeBetween(10, 250);
            assertThat(door.aborts).hasSameSizeAs(door.heads);
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    /// The same by making the gateway reset (CVE-2025-8671).
    @Test
    void e11_resetsThatTheSandboxProvokesEndTheConnection() {
        RecordingDoor door = new RecordingDoor();
        try (Http2Wire wire = new Http2Wire(door, manyRequestsPerSecond())) {
            for (int i = 0; i < 1_000 && wire.isOpen(); i++) {
                wire.head(2 * i + 1, Http2Wire.get("/"), Http2Wire.END_STREAM)
                        .frame(
                                Http2Wire.WINDOW_UPDATE,
                                0,
                                2 * i + 1,
                                Unpooled.buffer().writeInt(0));
            }
            assertThat(wire.isOpen()).isFalse();
            assertThat(door.heads).hasSizeLessThan(250);
            assertThat(door.aborts).hasSameSizeAs(door.heads);
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    @Test
    void e11_aHeadWithoutEndEndsTheConnection() {
        RecordingDoor door = new RecordingDoor();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.frame(Http2Wire.HEADERS, 0, 1, Http2Wire.block(Http2Wire.get("/")));
            for (int i = 0; i < 1_000 && wire.isOpen(); i++) {
                wire.frame(
                        Http2Wire.CONTINUATION,
                        0,
                        1,
                        Http2Wire.block(List.of(new Http2Wire.Field("x-" + i, "y"))));
            }
            assertThat(wire.isOpen()).isFalse();
            assertThat(door.heads).isEmpty();
        }
    }

    @Test
    void refusesAHeadThatIsTooLarge() {
        RecordingDoor door = new RecordingDoor();
        try (Http2Wire wire = new Http2Wire(door)) {
            List<Http2Wire.Field> fields = Http2Wire.get("/");
            for (int i = 0; i < 8; i++) {
                fields.add(new Http2Wire.Field("x-" + i, "y".repeat(2_000)));
            }
            wire.head(1, fields, Http2Wire.END_STREAM);
            assertThat(wire.answer(1)).contains(":status: 431");
            assertThat(door.heads).isEmpty();
            List<Http2Wire.Field> many = new ArrayList<>(Http2Wire.get("/"));
            for (int i = 0; i < 80; i++) {
                many.add(new Http2Wire.Field("x-" + i, "y"));
            }
            wire.head(3, many, Http2Wire.END_STREAM);
            assertThat(wire.answer(3)).contains(":status: 431");
            assertThat(door.heads).isEmpty();
        }
    }

    private static Limits manyRequestsPerSecond() {
        Limits limits = Limits.standard();
        return new Limits(
                limits.http(),
                new Limits.Sharing(128, 8_192, 32, 1_024, 100_000, 256, 30),
                limits.git(),
                limits.push(),
                limits.mirror(),
                limits.dns(),
                limits.upstream(),
                limits.egress(),
                Limits.Api.STANDARD,
                Limits.Approvals.STANDARD);
    }
}
