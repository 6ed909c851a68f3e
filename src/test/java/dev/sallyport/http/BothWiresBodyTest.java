package dev.sallyport.http;

import static dev.sallyport.http.Situation.when;

import dev.sallyport.policy.Refusal;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The same for what comes after a head: bodies, their end, `Expect`, and answers that do not wait
/// for them.
final class BothWiresBodyTest {
    @ParameterizedTest
    @MethodSource({
        "bodies",
        "heldBack",
        "trailing",
        "continued",
        "notContinued",
        "refusedEarly",
        "answeredEarly",
        "unread"
    })
    void looksTheSame(Situation situation) {
        situation.looksTheSame();
    }

    private static void post(Twin twin, int length, String... pieces) {
        twin.post("/", length);
        for (String piece : pieces) {
            twin.body(piece);
        }
        twin.bodyEnd();
    }

    static Stream<Situation> bodies() {
        return Stream.of(
                when(
                        "with a length",
                        t -> post(t, 6, "one", "two"),
                        "open POST /",
                        "body one",
                        "body two",
                        "end",
                        "answer 200 served whole"),
                when(
                        "without a length",
                        t -> post(t, -1, "one", "two"),
                        "open POST /",
                        "body one",
                        "body two",
                        "end",
                        "answer 200 served whole"),
                when(
                        "empty, with a length",
                        t -> post(t, 0),
                        "open POST /",
                        "end",
                        "answer 200 served whole"),
                when(
                        "empty, without a length",
                        t -> post(t, -1),
                        "open POST /",
                        "end",
                        "answer 200 served whole"),
                when(
                        "held back while the door pauses",
                        t -> {
                            t.onOpen = Responder::pauseBody;
                            post(t, -1, "one");
                            t.seconds(2 * Twin.IDLE_SECONDS);
                            t.mark("resumed");
                            t.responder().resumeBody();
                        },
                        "open POST /",
                        "resumed",
                        "body one",
                        "end",
                        "answer 200 served whole"),
                when(
                        "the end of none is held back while the door pauses",
                        t -> {
                            t.onOpen = Responder::pauseBody;
                            t.get();
                            t.mark("resumed");
                            t.responder().resumeBody();
                        },
                        "open GET /",
                        "resumed",
                        "end",
                        "answer 200 served whole"));
    }

    static Stream<Situation> heldBack() {
        return Stream.of(
                when(
                        "the end is held back when the door pauses at the last piece",
                        t -> {
                            t.onBody = Responder::pauseBody;
                            t.post("/", 3);
                            t.body("one");
                            t.bodyEnd();
                            t.mark("resumed");
                            t.responder().resumeBody();
                        },
                        "open POST /",
                        "body one",
                        "resumed",
                        "end",
                        "answer 200 served whole"),
                when(
                        "trailers",
                        t -> {
                            t.post("/", -1);
                            t.body("one");
                            t.trailers("x-sum", "1");
                        },
                        "open POST /",
                        "body one",
                        "trailers {x-sum=1}",
                        "end",
                        "answer 200 served whole"),
                when(
                        "trailers are held back while the door pauses",
                        t -> {
                            t.onBody = Responder::pauseBody;
                            t.post("/", -1);
                            t.body("one");
                            t.trailers("x-sum", "1");
                            t.mark("resumed");
                            t.responder().resumeBody();
                        },
                        "open POST /",
                        "body one",
                        "resumed",
                        "trailers {x-sum=1}",
                        "end",
                        "answer 200 served whole"),
                when(
                        "trailers that a head is judged by",
                        t -> {
                            t.post("/", -1);
                            t.body("one");
                            t.trailers("authorization", "1");
                        },
                        "open POST /",
                        "body one",
                        "abort malformed-body",
                        "answer  cut"));
    }

    static Stream<Situation> trailing() {
        return Stream.of(
                when(
                        "malformed",
                        t -> {
                            t.post("/", -1);
                            t.body("one");
                            t.malformed();
                        },
                        "open POST /",
                        "body one",
                        "abort malformed-body",
                        "answer  cut"),
                when(
                        "malformed after the answer",
                        t -> {
                            t.onOpen = r -> t.answer(r, 200, "early");
                            t.post("/", -1);
                            t.malformed();
                        },
                        "open POST /",
                        "answer 200 early whole",
                        "recorded http.ambiguous ambiguous-framing"));
    }

    private static void expect(Twin twin) {
        twin.post("/", 4, "expect", "100-continue");
    }

    static Stream<Situation> continued() {
        return Stream.of(
                when(
                        "told to continue, once",
                        t -> {
                            expect(t);
                            t.seconds(2 * Twin.IDLE_SECONDS);
                            t.responder().proceed();
                            t.responder().proceed();
                            t.body("body");
                            t.bodyEnd();
                            t.markStopped();
                        },
                        "open POST /",
                        "body body",
                        "end",
                        "not stopped",
                        "answer 100 200 served whole"),
                when(
                        "told to continue, and nothing comes",
                        t -> {
                            t.onOpen = Responder::proceed;
                            expect(t);
                            t.seconds(Twin.IDLE_SECONDS);
                        },
                        "open POST /",
                        "abort request-timeout",
                        "answer 100 cut"),
                when(
                        "answered instead",
                        t -> {
                            t.onOpen = r -> r.refuse(Refusal.URL_NOT_ALLOWED, "id");
                            expect(t);
                            t.markStopped();
                        },
                        "open POST /",
                        "stopped",
                        "answer 403 url-not-allowed page whole"),
                when(
                        "answered instead, though the body came after all",
                        t -> {
                            t.onOpen = r -> r.start(200, Map.of(), OptionalLong.empty());
                            t.onEnd = Responder::end;
                            expect(t);
                            t.body("body");
                            t.bodyEnd();
                        },
                        "open POST /",
                        "body body",
                        "end",
                        "answer 200 whole"));
    }

    static Stream<Situation> notContinued() {
        return Stream.of(
                when(
                        "does not wait to be told",
                        t -> {
                            expect(t);
                            t.body("body");
                            t.bodyEnd();
                            t.responder().proceed();
                            t.markStopped();
                        },
                        "open POST /",
                        "body body",
                        "end",
                        "not stopped",
                        "answer 200 served whole"),
                when(
                        "there is nothing to continue with",
                        t -> {
                            t.onOpen = r -> r.refuse(Refusal.URL_NOT_ALLOWED, "id");
                            t.ask("GET", "/", "expect", "100-continue");
                            t.markStopped();
                        },
                        "open GET /",
                        "not stopped",
                        "answer 403 url-not-allowed page whole"));
    }

    static Stream<Situation> refusedEarly() {
        return Stream.of(
                when(
                        "refused at its head; the rest is read past, and the next is served",
                        t -> {
                            t.onOpen = r -> r.refuse(Refusal.URL_NOT_ALLOWED, "id");
                            post(t, -1, "one", "two");
                            t.onOpen = _ -> {};
                            t.get();
                        },
                        "open POST /",
                        "open GET /",
                        "end",
                        "answer 403 url-not-allowed page whole",
                        "answer 200 served whole"),
                when(
                        "HEAD is refused",
                        t -> {
                            t.onOpen = r -> r.refuse(Refusal.URL_NOT_ALLOWED, "id");
                            t.ask("HEAD", "/");
                        },
                        "open HEAD /",
                        "answer 403 url-not-allowed whole"),
                when(
                        "refused with a time to wait",
                        t -> {
                            t.onOpen =
                                    r ->
                                            r.refuse(
                                                    Refusal.UPSTREAM_BUSY,
                                                    "id",
                                                    OptionalLong.of(7),
                                                    "");
                            t.get();
                        },
                        "open GET /",
                        "answer 429 upstream-busy page whole"),
                when(
                        "answered in the middle of the body",
                        t -> {
                            t.onBody = r -> t.answer(r, 200, "enough");
                            post(t, -1, "one", "two", "three");
                            t.markStopped();
                        },
                        "open POST /",
                        "body one",
                        "not stopped",
                        "answer 200 enough whole"));
    }

    static Stream<Situation> answeredEarly() {
        return Stream.of(
                when(
                        "begun before the body is over, which still goes to the door",
                        t -> {
                            t.onOpen = r -> r.start(200, Map.of(), OptionalLong.of(4));
                            t.onEnd =
                                    r -> {
                                        r.write(t.bytes("done"));
                                        r.end();
                                    };
                            post(t, -1, "one", "two");
                        },
                        "open POST /",
                        "body one",
                        "body two",
                        "end",
                        "answer 200 done whole"),
                when(
                        "too much follows the answer",
                        t -> {
                            t.onOpen = r -> r.refuse(Refusal.BODY_TOO_LARGE, "id");
                            t.post("/", -1);
                            for (int i = 0; i < 40; i++) {
                                t.body("x".repeat(32_000));
                            }
                            t.markStopped();
                        },
                        "open POST /",
                        "stopped",
                        "answer 413 body-too-large page whole"),
                when(
                        "the rest does not come",
                        t -> {
                            t.onOpen = r -> t.answer(r, 200, "early");
                            t.post("/", -1);
                            t.body("one");
                            t.seconds(Twin.IDLE_SECONDS - 1);
                            t.markStopped();
                            t.seconds(1);
                            t.markStopped();
                        },
                        "open POST /",
                        "not stopped",
                        "stopped",
                        "answer 200 early whole"));
    }

    static Stream<Situation> unread() {
        return Stream.of(
                when(
                        "the client does not take the answer",
                        t -> {
                            t.stall(true);
                            t.get();
                            t.seconds(Twin.IDLE_SECONDS);
                            t.markPlaces();
                        },
                        "open GET /",
                        "end",
                        "places 0",
                        "answer  cut"));
    }
}
