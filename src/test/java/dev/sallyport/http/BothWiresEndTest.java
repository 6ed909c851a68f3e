package dev.sallyport.http;

import static dev.sallyport.http.Situation.asked;
import static dev.sallyport.http.Situation.when;

import dev.sallyport.policy.Refusal;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The same for requests that do not end well: clients that go away, time that runs out, doors that
/// fail.
final class BothWiresEndTest {
    @ParameterizedTest
    @MethodSource({
        "gone",
        "goneDuringTheAnswer",
        "timedOut",
        "misframed",
        "failing",
        "failingLate",
        "failingLater"
    })
    void looksTheSame(Situation situation) {
        situation.looksTheSame();
    }

    static Stream<Situation> gone() {
        return Stream.of(
                when(
                        "in the middle of its body",
                        t -> {
                            t.post("/", 9);
                            t.body("one");
                            t.goAway();
                        },
                        "open POST /",
                        "body one",
                        "abort session-ended",
                        "answer  cut"),
                when(
                        "while the door pauses",
                        t -> {
                            t.onOpen = Responder::pauseBody;
                            t.post("/", -1);
                            t.body("one");
                            t.goAway();
                            t.responder().resumeBody();
                        },
                        "open POST /",
                        "abort session-ended",
                        "answer  cut"),
                when(
                        "while the door thinks",
                        t -> {
                            asked(t, "GET", _ -> {});
                            t.goAway();
                            t.answer(t.responder(), 200, "too late");
                        },
                        "open GET /",
                        "end",
                        "abort session-ended",
                        "answer  cut"),
                when(
                        "in the middle of the answer",
                        t -> {
                            asked(t, "GET", r -> r.start(200, Map.of(), OptionalLong.of(9)));
                            t.responder().write(t.bytes("one"));
                            t.channel().runPendingTasks();
                            t.goAway();
                            t.responder().write(t.bytes("two"));
                        },
                        "open GET /",
                        "end",
                        "abort session-ended",
                        "answer 200 one cut"));
    }

    static Stream<Situation> goneDuringTheAnswer() {
        return Stream.of(
                when(
                        "in the middle of the answer, which it does not take",
                        t -> {
                            asked(t, "GET", r -> r.start(200, Map.of(), OptionalLong.empty()));
                            t.channel().runPendingTasks();
                            t.stall(true);
                            t.responder().write(t.bytes("x".repeat(90_000)));
                            t.goAway();
                        },
                        "open GET /",
                        "end",
                        "writable false",
                        "abort session-ended",
                        "answer 200 cut"),
                when(
                        "after the answer, with its body outstanding",
                        t -> {
                            t.onOpen = r -> t.answer(r, 200, "early");
                            t.post("/", 9);
                            t.body("one");
                            t.goAway();
                        },
                        "open POST /",
                        "answer 200 early whole"),
                when(
                        "with the whole connection",
                        t -> {
                            t.post("/", 9);
                            t.body("one");
                            var _ = t.channel().close();
                            t.channel().runPendingTasks();
                        },
                        "open POST /",
                        "body one",
                        "abort session-ended",
                        "answer  cut"));
    }

    static Stream<Situation> timedOut() {
        return Stream.of(
                when(
                        "nothing of the body comes",
                        t -> {
                            t.post("/", 9);
                            t.seconds(Twin.IDLE_SECONDS);
                        },
                        "open POST /",
                        "abort request-timeout",
                        "answer  cut"),
                when(
                        "the body dribbles",
                        t -> {
                            t.post("/", 900);
                            for (int i = 0; i < Twin.IDLE_SECONDS; i++) {
                                t.body("x");
                                t.seconds(1);
                            }
                        },
                        "open POST /",
                        "body x",
                        "body x",
                        "body x",
                        "body x",
                        "body x",
                        "abort request-timeout",
                        "answer  cut"),
                when(
                        "the door takes too long",
                        t -> {
                            asked(t, "GET", _ -> {});
                            t.seconds(Twin.REQUEST_SECONDS - 1);
                            t.mark("nearly");
                            t.seconds(1);
                        },
                        "open GET /",
                        "end",
                        "nearly",
                        "abort request-timeout",
                        "answer  cut"),
                when(
                        "the client takes nothing of the answer",
                        t -> {
                            asked(t, "GET", r -> r.start(200, Map.of(), OptionalLong.empty()));
                            t.channel().runPendingTasks();
                            t.stall(true);
                            t.responder().write(t.bytes("x".repeat(90_000)));
                            t.seconds(Twin.IDLE_SECONDS + 1);
                        },
                        "open GET /",
                        "end",
                        "writable false",
                        "abort request-timeout",
                        "answer 200 cut"));
    }

    private static Situation cut(String name, Consumer<Responder> answer, String status) {
        return when(
                name,
                t -> {
                    asked(t, "GET", answer);
                    t.markPlaces();
                },
                "open GET /",
                "end",
                "places 0",
                "answer " + status + " cut");
    }

    private static Situation unwritable(String name, String value) {
        return cut(
                "the field " + name,
                r -> r.start(200, Map.of(name, value), OptionalLong.empty()),
                "");
    }

    static Stream<Situation> misframed() {
        return Stream.of(
                when(
                        "more than its length",
                        t -> {
                            asked(t, "GET", r -> r.start(200, Map.of(), OptionalLong.of(2)));
                            t.channel().runPendingTasks();
                            t.responder().write(t.bytes("abc"));
                        },
                        "open GET /",
                        "end",
                        "answer 200 cut"),
                when(
                        "less than its length",
                        t -> {
                            asked(t, "GET", r -> r.start(200, Map.of(), OptionalLong.of(9)));
                            t.channel().runPendingTasks();
                            t.responder().end();
                        },
                        "open GET /",
                        "end",
                        "answer 200 cut"),
                cut("no answer at all", Responder::end, ""),
                cut("the door cuts", Responder::cut, ""),
                unwritable("x-a", "a\r\nset-cookie: b"),
                unwritable("x-a", "\u00e9"),
                unwritable("x a", "a"),
                unwritable("content-length", "4"),
                unwritable("Content-Length", "4"),
                unwritable("connection", "close"),
                unwritable("upgrade", "h2c"),
                when(
                        "refused in the middle of the answer",
                        t -> {
                            asked(
                                    t,
                                    "GET",
                                    r -> {
                                        r.start(200, Map.of(), OptionalLong.of(9));
                                        r.write(t.bytes("part"));
                                        r.refuse(Refusal.BUDGET_SPENT, "id");
                                    });
                        },
                        "open GET /",
                        "end",
                        "answer 200 part cut"),
                when(
                        "leaves HTTP with a body",
                        t -> {
                            t.onOpen = r -> r.takeOver(200, Map.of(), (_, _) -> t.mark("taken"));
                            t.post("/", 4);
                        },
                        "open POST /",
                        "answer  cut"));
    }

    private static IllegalStateException fault() {
        return new IllegalStateException("made for this test");
    }

    static Stream<Situation> failing() {
        return Stream.of(
                when(
                        "when it opens",
                        t -> {
                            t.onOpen =
                                    _ -> {
                                        throw fault();
                                    };
                            t.get();
                        },
                        "open GET /",
                        "answer 500 internal page whole",
                        "recorded http.refused internal"),
                when(
                        "when it opens, for HEAD",
                        t -> {
                            t.onOpen =
                                    _ -> {
                                        throw fault();
                                    };
                            t.ask("HEAD", "/");
                        },
                        "open HEAD /",
                        "answer 500 internal whole",
                        "recorded http.refused internal"),
                when(
                        "at a piece of the body; the rest is read past",
                        t -> {
                            t.onBody =
                                    _ -> {
                                        throw fault();
                                    };
                            t.post("/", -1);
                            t.body("one");
                            t.body("two");
                            t.bodyEnd();
                            t.get();
                        },
                        "open POST /",
                        "body one",
                        "abort internal",
                        "open GET /",
                        "end",
                        "answer 500 internal page whole",
                        "answer 200 served whole",
                        "recorded http.refused internal"));
    }

    static Stream<Situation> failingLate() {
        return Stream.of(
                when(
                        "in the middle of the answer",
                        t -> {
                            t.onOpen = r -> r.start(200, Map.of(), OptionalLong.of(9));
                            t.onEnd =
                                    _ -> {
                                        throw fault();
                                    };
                            t.post("/", 1);
                            t.body("x");
                            t.bodyEnd();
                        },
                        "open POST /",
                        "body x",
                        "end",
                        "abort internal",
                        "answer 200 cut"),
                when(
                        "after its answer, which stands",
                        t -> {
                            asked(
                                    t,
                                    "GET",
                                    r -> {
                                        t.answer(r, 200, "served");
                                        throw fault();
                                    });
                            t.markStopped();
                        },
                        "open GET /",
                        "end",
                        "not stopped",
                        "answer 200 served whole"),
                when(
                        "when it is told to stop",
                        t -> {
                            t.onAbort =
                                    () -> {
                                        throw fault();
                                    };
                            asked(t, "GET", _ -> {});
                            t.goAway();
                            t.markPlaces();
                        },
                        "open GET /",
                        "end",
                        "abort session-ended",
                        "places 0",
                        "answer  cut"));
    }

    static Stream<Situation> failingLater() {
        return Stream.of(
                when(
                        "because its decision is not recorded",
                        t -> {
                            t.onOpen = Responder::pauseBody;
                            t.post("/", -1);
                            t.body("one");
                            t.responder().refuse(Refusal.NOT_RECORDED, "id");
                            t.bodyEnd();
                            t.markPlaces();
                        },
                        "open POST /",
                        "places 0",
                        "answer 503 not-recorded page whole"));
    }
}
