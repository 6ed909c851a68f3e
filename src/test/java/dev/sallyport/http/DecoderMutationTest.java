package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// P5, P12: whatever is done to a good request, the connection answers or closes; and a door hears
/// only of requests that a second, independent reading finds well-formed.
final class DecoderMutationTest {
    private static final int INPUTS = 20_000;

    private static final List<String> SEEDS =
            List.of(
                    lines("GET /policy?a=b HTTP/1.1", "Host: localhost", "Accept: */*", "", ""),
                    lines("POST /x HTTP/1.1", "Host: localhost", "Content-Length: 5", "", "hello"),
                    lines("POST /x HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked", "")
                            + lines("", "5", "hello", "6", " world", "0", "", "")
                            + lines("GET /2 HTTP/1.1", "Host: localhost", "", ""));

    private static String lines(String... lines) {
        return String.join("\r\n", lines);
    }

    private static final List<String> INSERTS =
            List.of(
                    "\r",
                    "\n",
                    "\r\n",
                    "\0",
                    " ",
                    "\t",
                    ":",
                    ";",
                    ",",
                    "0",
                    "_",
                    "\u007f",
                    "\u00ff",
                    "Content-Length: 3\r\n",
                    "Transfer-Encoding: chunked\r\n",
                    "Host: b\r\n",
                    "\r\n\r\n",
                    "HTTP/1.1",
                    "0\r\n\r\n",
                    "\u000b",
                    "GET / HTTP/1.1\r\n");

    private static final Pattern HEAD =
            Pattern.compile("[A-Z-]+ /[!-~]* HTTP/1\\.1\r\n((?:[A-Za-z0-9-]+:[\\t -~]*\r\n)+)\r\n");
    private static final Pattern CHUNK = Pattern.compile("([0-9A-Fa-f]{1,8})\r\n");

    @Test
    void p5_p12_neverFailsAndNeverOpensADoorForAnAmbiguousRequest() {
        Random random = new Random(20_260_101);
        int served = 0;
        for (int i = 0; i < INPUTS; i++) {
            String input = mutate(random, SEEDS.get(i % SEEDS.size()));
            RecordingDoor door = RecordingDoor.answeringAtTheEnd();
            try (Wire wire = new Wire(door)) {
                sendInPieces(random, wire, input);
                wire.seconds(1);
            }
            assertThat(door.heads.size())
                    .as("requests in %s", input)
                    .isLessThanOrEqualTo(wellFormedHeads(input));
            served += door.ends;
        }
        assertThat(served).as("mutations that leave a request good").isGreaterThan(INPUTS / 20);
    }

    private static void sendInPieces(Random random, Wire wire, String input) {
        int at = 0;
        while (at < input.length() && wire.isOpen()) {
            int next = Math.min(input.length(), at + 1 + random.nextInt(input.length()));
            wire.send(input.substring(at, next));
            at = next;
        }
    }

    private static String mutate(Random random, String seed) {
        StringBuilder text = new StringBuilder(seed);
        for (int n = 1 + random.nextInt(3); n > 0; n--) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(4)) {
                case 0 -> text.setCharAt(at, (char) random.nextInt(256));
                case 1 -> text.deleteCharAt(at);
                case 2 -> text.insert(at, INSERTS.get(random.nextInt(INSERTS.size())));
                default -> {
                    int end = Math.min(text.length(), at + random.nextInt(40));
                    text.insert(at, text.substring(at, end));
                }
            }
        }
        return text.toString();
    }

    /// How many heads of the input are good up to the first fault.
    private static int wellFormedHeads(String input) {
        int heads = 0;
        int at = 0;
        Matcher head = HEAD.matcher(input);
        while (at >= 0 && at < input.length() && head.region(at, input.length()).lookingAt()) {
            String fields = head.group(1).toLowerCase(java.util.Locale.ROOT);
            int lengths = count(fields, "content-length:");
            int codings = count(fields, "transfer-encoding:");
            if (count(fields, "host:") != 1 || lengths + codings > 1) {
                return heads;
            }
            heads++;
            at = codings == 1 ? afterChunks(input, head.end()) : head.end() + length(fields);
        }
        return heads;
    }

    private static int count(String fields, String name) {
        return (int) fields.lines().filter(line -> line.startsWith(name)).count();
    }

    private static int length(String fields) {
        return fields.lines()
                .filter(line -> line.startsWith("content-length:"))
                .map(line -> line.substring("content-length:".length()).strip())
                .mapToInt(text -> text.matches("[0-9]{1,8}") ? Integer.parseInt(text) : 1 << 24)
                .findFirst()
                .orElse(0);
    }

    private static int afterChunks(String input, int from) {
        int at = from;
        Matcher chunk = CHUNK.matcher(input);
        while (at < input.length() && chunk.region(at, input.length()).lookingAt()) {
            long size = Long.parseLong(chunk.group(1), 16);
            if (size > input.length() || !input.startsWith("\r\n", chunk.end() + (int) size)) {
                return -1;
            }
            at = chunk.end() + (int) size + 2;
            if (size == 0) {
                return at;
            }
        }
        return -1;
    }
}
