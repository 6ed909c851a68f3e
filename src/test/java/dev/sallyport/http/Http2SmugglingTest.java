package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// E11, E13: what HTTP/2 can say and HTTP/1.1 cannot must never get to a door, behind which
/// requests are written as HTTP/1.1.
final class Http2SmugglingTest {
    private static final String OTHER_REQUEST =
            "x\r\n\r\nGET /admin HTTP/1.1\r\nhost: other.example";

    private static Map<String, List<Http2Wire.Field>> attacks() {
        Map<String, List<Http2Wire.Field>> attacks = new LinkedHashMap<>();
        for (String value :
                List.of(OTHER_REQUEST, "a\nb", "a\rb", "a\0b", "a\u007fb", " a", "a ", "\ta")) {
            attacks.put("value " + value, with("x-a", value));
        }
        for (String name :
                List.of("X-A", "x-a\r\nhost", "x a", "x-a:", "", "x\0", "\u00e9", ":x", "x(")) {
            attacks.put("name " + name, with(name, "b"));
        }
        attacks.put("underscore", with("x_a", "b"));
        attacks.put("not ASCII", with("x-a", "\u00e9"));
        for (String name :
                List.of(
                        "connection",
                        "keep-alive",
                        "proxy-connection",
                        "upgrade",
                        "http2-settings")) {
            attacks.put(name, with(name, "close"));
        }
        attacks.put("transfer-encoding", with("transfer-encoding", "chunked"));
        attacks.put("te", with("te", "gzip"));
        attacks.put("te list", with("te", "trailers, gzip"));
        attacks.put("another host", with("host", "other.example"));
        attacks.put("two hosts", with(with("host", "api.example.com"), "host", "api.example.com"));
        attacks.put("two lengths", with(with("content-length", "0"), "content-length", "1"));
        attacks.put("no length", with("content-length", "+0"));
        attacks.put("length without body", with("content-length", "1"));
        attacks.put("repeated", with(with("authorization", "a"), "authorization", "b"));
        attacks.put("two authorities", with(":authority", "other.example"));
        attacks.put("status", with(":status", "200"));
        attacks.put("protocol", with(":protocol", "websocket"));
        pseudo(attacks);
        return attacks;
    }

    private static void pseudo(Map<String, List<Http2Wire.Field>> attacks) {
        for (int i = 0; i < 4; i++) {
            List<Http2Wire.Field> without = Http2Wire.get("/");
            attacks.put("without " + without.remove(i).name(), without);
            List<Http2Wire.Field> late = Http2Wire.get("/");
            Http2Wire.Field moved = late.remove(i);
            late.add(new Http2Wire.Field("accept", "a/b"));
            late.add(moved);
            attacks.put("late " + moved.name(), late);
            List<Http2Wire.Field> twice = Http2Wire.get("/");
            twice.add(i, twice.get(i));
            attacks.put("twice " + twice.get(i).name(), twice);
            List<Http2Wire.Field> empty = Http2Wire.get("/");
            empty.set(i, new Http2Wire.Field(empty.get(i).name(), ""));
            attacks.put("empty " + empty.get(i).name(), empty);
        }
        for (String method :
                List.of("CONNECT", "get", "GET / HTTP/1.1\r\nx: y\r\n\r\nGET", "G T")) {
            attacks.put("method " + method, replaced(0, ":method", method));
        }
        for (String scheme : List.of("http", "HTTPS", "https ", "ftp")) {
            attacks.put("scheme " + scheme, replaced(1, ":scheme", scheme));
        }
        for (String authority :
                List.of("a@api.example.com", "api.example.com/x", "a b", "a\r\nx: y", "a,b")) {
            attacks.put("authority " + authority, replaced(2, ":authority", authority));
        }
        for (String path :
                List.of(
                        "*",
                        "x",
                        "https://other.example/",
                        "/a b",
                        "/ HTTP/1.1\r\nx: y",
                        "/a#b",
                        "/%0d%0a",
                        "/\\")) {
            attacks.put("path " + path, replaced(3, ":path", path));
        }
    }

    private static List<Http2Wire.Field> with(String name, String value) {
        return Http2Wire.with(Http2Wire.get("/"), name, value);
    }

    private static List<Http2Wire.Field> with(
            List<Http2Wire.Field> fields, String name, String value) {
        return Http2Wire.with(fields, name, value);
    }

    private static List<Http2Wire.Field> replaced(int index, String name, String value) {
        List<Http2Wire.Field> fields = new ArrayList<>(Http2Wire.get("/"));
        fields.set(index, new Http2Wire.Field(name, value));
        return fields;
    }

    @Test
    void e11_noMalformedHeadReachesTheDoor() {
        attacks()
                .forEach(
                        (name, fields) -> {
                            RecordingDoor door = RecordingDoor.answeringAtTheEnd();
                            try (Http2Wire wire = new Http2Wire(door)) {
                                wire.head(1, fields, Http2Wire.END_STREAM);
                                assertThat(door.heads).as(name).isEmpty();
                                assertThat(wire.answer(1)).as(name).doesNotContain(":status: 200");
                                assertThat(wire.quota.inFlight()).as(name).isZero();
                            }
                        });
    }

    /// The control for all of the above.
    @Test
    void theSameHeadWithoutTheAttackIsServed() {
        List<List<Http2Wire.Field>> harmless =
                List.of(
                        Http2Wire.get("/"),
                        with("x-a", "b c\td"),
                        with("te", "trailers"),
                        with("host", "api.example.com"),
                        with("content-length", "0"),
                        with(with("accept", "a/b"), "accept", "c/d"),
                        replaced(2, ":authority", "api.example.com:443"),
                        replaced(3, ":path", "/a%20b?c#".replace("#", "")));
        for (List<Http2Wire.Field> fields : harmless) {
            RecordingDoor door = RecordingDoor.answeringAtTheEnd();
            try (Http2Wire wire = new Http2Wire(door)) {
                wire.head(1, fields, Http2Wire.END_STREAM);
                assertThat(wire.answer(1)).as(fields.toString()).contains(":status: 200");
                assertThat(door.heads).hasSize(1);
            }
        }
    }

    @Test
    void e11_aBodyOfAnotherLengthThanAnnouncedIsNoRequest() {
        for (String body : List.of("four", "sixsix", "")) {
            RecordingDoor door = RecordingDoor.answeringAtTheEnd();
            try (Http2Wire wire = new Http2Wire(door)) {
                wire.head(1, Http2Wire.with(Http2Wire.post("/"), "content-length", "5"), 0)
                        .data(1, body, Http2Wire.END_STREAM);
                wire.seconds(1);
                assertThat(door.ends).as(body).isZero();
                assertThat(door.aborts).as(body).hasSize(1);
                assertThat(wire.answer(1)).as(body).contains("error 1");
                assertThat(wire.quota.inFlight()).isZero();
            }
        }
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.with(Http2Wire.post("/"), "content-length", "5"), 0)
                    .data(1, "fi", 0)
                    .data(1, "ve!", Http2Wire.END_STREAM);
            assertThat(wire.answer(1)).contains(":status: 200");
            assertThat(door.bodies).containsExactly("five!");
        }
    }

    @Test
    void e11_aRequestThatEndsWithAFieldOfHeadsIsNoRequest() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.post("/"), 0)
                    .data(1, "body", 0)
                    .head(
                            1,
                            List.of(new Http2Wire.Field("authorization", "late")),
                            Http2Wire.END_STREAM);
            wire.seconds(1);
            assertThat(door.ends).isZero();
            assertThat(door.aborts).hasSize(1);
            assertThat(wire.answer(1)).contains("error 1");
        }
    }
}
