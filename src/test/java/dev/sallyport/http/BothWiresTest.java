package dev.sallyport.http;

import static dev.sallyport.http.Situation.asked;
import static dev.sallyport.http.Situation.pieces;
import static dev.sallyport.http.Situation.when;

import dev.sallyport.policy.Refusal;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What happens to a request does not depend on the version of HTTP that carries it.
final class BothWiresTest {
    private static final String LONG_NAME = "x".repeat(200);

    @ParameterizedTest
    @MethodSource({"refused", "inLine", "waiting", "answered", "inPieces", "oneAfterTheOther"})
    void looksTheSame(Situation situation) {
        situation.looksTheSame();
    }

    static Stream<Situation> refused() {
        return Stream.of(
                when(
                        "a name of a field is too long",
                        t -> t.ask("GET", "/", LONG_NAME, "1"),
                        "answer 431 head-too-large page whole",
                        "recorded http.refused head-too-large"),
                when(
                        "a head is too large",
                        t -> t.ask("GET", "/", fields(9, 2_000)),
                        "answer 431 head-too-large page whole",
                        "recorded http.refused head-too-large"),
                when(
                        "a head has too many fields",
                        t -> t.ask("GET", "/", fields(80, 1)),
                        "answer 431 head-too-large page whole",
                        "recorded http.refused head-too-large"),
                when(
                        "a head of HEAD is too large",
                        t -> t.ask("HEAD", "/", fields(9, 2_000)),
                        "answer 431 head-too-large whole",
                        "recorded http.refused head-too-large"),
                when(
                        "a name of a field of HEAD is too long",
                        t -> t.ask("HEAD", "/", LONG_NAME, "1"),
                        "answer 431 head-too-large whole",
                        "recorded http.refused head-too-large"),
                when(
                        "a field could mean two things",
                        t -> t.ask("GET", "/", "x_any", "1"),
                        "answer 400 bad-request page whole",
                        "recorded http.refused bad-request"),
                when(
                        "two lengths",
                        t -> t.post("/", 4, "content-length", "5"),
                        "answer  cut",
                        "recorded http.ambiguous ambiguous-framing"),
                when(
                        "a refusal cannot be recorded",
                        t -> {
                            t.recording(BothWiresTest::failing);
                            t.ask("GET", "/", LONG_NAME, "1");
                        },
                        "answer 431 head-too-large page whole",
                        "recorded http.refused head-too-large"),
                when(
                        "the recorder fails",
                        t -> {
                            t.recording(
                                    () -> {
                                        throw new IllegalStateException("made for this test");
                                    });
                            t.ask("GET", "/", LONG_NAME, "1");
                        },
                        "answer  cut",
                        "recorded http.refused head-too-large"));
    }

    private static String[] fields(int number, int bytes) {
        return IntStream.range(0, number)
                .boxed()
                .flatMap(i -> Stream.of("x-" + i, "a".repeat(bytes)))
                .toArray(String[]::new);
    }

    private static CompletableFuture<Void> failing() {
        return CompletableFuture.failedFuture(new IllegalStateException("full"));
    }

    static Stream<Situation> inLine() {
        return Stream.of(
                when(
                        "no room in line",
                        t -> {
                            t.fill(2);
                            t.get();
                            leave(t, 4);
                        },
                        "answer 429 too-many-requests page whole",
                        "recorded http.refused too-many-requests"),
                when(
                        "no room in line for HEAD",
                        t -> {
                            t.fill(2);
                            t.ask("HEAD", "/");
                            leave(t, 4);
                        },
                        "answer 429 too-many-requests whole",
                        "recorded http.refused too-many-requests"),
                when(
                        "no room in line, and the next request finds it",
                        t -> {
                            t.fill(2);
                            t.post("/", 4);
                            t.body("body");
                            t.bodyEnd();
                            leave(t, 4);
                            t.seconds(1);
                            t.get();
                        },
                        "open GET /",
                        "end",
                        "answer 429 too-many-requests page whole",
                        "answer 200 served whole",
                        "recorded http.refused too-many-requests"),
                when(
                        "no room in line for one that waits to continue",
                        t -> {
                            t.fill(2);
                            t.post("/", 4, "expect", "100-continue");
                            t.markStopped();
                            leave(t, 4);
                        },
                        "stopped",
                        "answer 429 too-many-requests page whole",
                        "recorded http.refused too-many-requests"));
    }

    static Stream<Situation> waiting() {
        return Stream.of(
                when(
                        "waits with its body for a place",
                        t -> {
                            t.fill(0);
                            t.post("/", -1);
                            t.body("body");
                            t.bodyEnd();
                            t.seconds(1);
                            t.mark("waited");
                            leave(t, 1);
                            t.markPlaces();
                            leave(t, 1);
                        },
                        "waited",
                        "open POST /",
                        "body body",
                        "end",
                        "places 1",
                        "answer 200 served whole"),
                when(
                        "waits too long",
                        t -> {
                            t.fill(0);
                            t.get();
                            t.seconds(Twin.WAIT_SECONDS);
                            leave(t, 2);
                            t.markPlaces();
                        },
                        "places 0",
                        "answer 429 too-many-requests page whole",
                        "recorded http.refused too-many-requests"),
                when(
                        "goes away in line",
                        t -> {
                            t.fill(0);
                            t.post("/", -1);
                            t.body("body");
                            t.goAway();
                            leave(t, 2);
                            t.markPlaces();
                        },
                        "places 0",
                        "answer  cut"));
    }

    private static void leave(Twin twin, int places) {
        for (int i = 0; i < places; i++) {
            twin.quota().leave();
        }
        twin.channel().runPendingTasks();
    }

    static Stream<Situation> answered() {
        return Stream.of(
                when("GET", Twin::get, "open GET /", "end", "answer 200 served whole"),
                when("HEAD", t -> t.ask("HEAD", "/"), "open HEAD /", "end", "answer 200 whole"),
                when(
                        "HEAD, and an answer without a length",
                        t -> asked(t, "HEAD", r -> pieces(t, r, 200, "one", "two")),
                        "open HEAD /",
                        "end",
                        "answer 200 whole"),
                when(
                        "204",
                        t -> asked(t, "GET", r -> pieces(t, r, 204, "no body")),
                        "open GET /",
                        "end",
                        "answer 204 whole"),
                when(
                        "304 with a length",
                        t ->
                                asked(
                                        t,
                                        "GET",
                                        r -> {
                                            r.start(304, Map.of(), OptionalLong.of(9));
                                            r.end();
                                        }),
                        "open GET /",
                        "end",
                        "answer 304 whole"),
                when(
                        "nothing, with a length",
                        t -> asked(t, "GET", r -> t.answer(r, 200, "")),
                        "open GET /",
                        "end",
                        "answer 200 whole"),
                when(
                        "nothing, without a length",
                        t -> asked(t, "GET", r -> pieces(t, r, 200)),
                        "open GET /",
                        "end",
                        "answer 200 whole"),
                when(
                        "in pieces, some of them empty",
                        t -> asked(t, "GET", r -> pieces(t, r, 200, "one", "", "two")),
                        "open GET /",
                        "end",
                        "answer 200 onetwo whole"));
    }

    static Stream<Situation> inPieces() {
        return Stream.of(
                when(
                        "in pieces while the client is slow",
                        t -> {
                            t.onEnd = r -> r.start(200, Map.of(), OptionalLong.empty());
                            t.get();
                            t.stall(true);
                            t.responder().write(t.bytes("x".repeat(90_000)));
                            t.mark("writable now " + t.responder().isWritable());
                            t.stall(false);
                            t.responder().end();
                        },
                        "open GET /",
                        "end",
                        "writable false",
                        "writable now false",
                        "writable true",
                        "answer 200 90000 bytes whole"),
                when(
                        "one after the other",
                        t -> {
                            t.get();
                            t.post("/two", 4);
                            t.body("body");
                            t.bodyEnd();
                            t.ask("HEAD", "/three");
                            t.markPlaces();
                        },
                        "open GET /",
                        "end",
                        "open POST /two",
                        "body body",
                        "end",
                        "open HEAD /three",
                        "end",
                        "places 0",
                        "answer 200 served whole",
                        "answer 200 served whole",
                        "answer 200 whole"),
                when(
                        "a place is taken until the answer is complete",
                        t -> {
                            t.onEnd = r -> r.start(200, Map.of(), OptionalLong.of(3));
                            t.get();
                            t.markPlaces();
                            t.responder().write(t.bytes("abc"));
                            t.responder().end();
                            t.markPlaces();
                        },
                        "open GET /",
                        "end",
                        "places 1",
                        "places 0",
                        "answer 200 abc whole"));
    }

    static Stream<Situation> oneAfterTheOther() {
        return Stream.of(
                when(
                        "calls after the end do nothing",
                        t -> {
                            t.get();
                            t.responder().write(t.bytes("late"));
                            t.responder().refuse(Refusal.INTERNAL, "late");
                            t.responder().cut();
                            t.responder().end();
                            t.responder().proceed();
                            t.responder().resumeBody();
                            t.get();
                        },
                        "open GET /",
                        "end",
                        "open GET /",
                        "end",
                        "answer 200 served whole",
                        "answer 200 served whole"));
    }
}
