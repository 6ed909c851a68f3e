package dev.sallyport.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/// One line of the log: an event, its place in the chain, and the hash that ties both to all lines
/// before. `docs/protocol/audit-record.md` is the reference.
///
/// @param stamp whose it is; [Stamp#NONE] for the whole system, and in old logs
/// @param prev hash of the line before; zeros for the first
/// @param hash SHA-256 over the bytes of `prev` and the line's own bytes up to `,"hash"`
public record AuditLine(
        long seq, Instant time, AuditEvent event, Stamp stamp, String prev, String hash) {
    static final String FIRST_PREV = "0".repeat(64);

    /// Above the largest line that an [AuditEvent] within its bounds can make.
    static final int BYTES_MAX = 256 * 1024;

    private static final byte[] HASH_FIELD = ",\"hash\":\"".getBytes(StandardCharsets.US_ASCII);
    private static final int HASH_DIGITS = 64;
    private static final int SUFFIX_BYTES = HASH_FIELD.length + HASH_DIGITS + "\"}".length();

    /// All of a line but its kind, its session and its details, with a stamp as most have it.
    private static final int FRAME_BYTES = 370;

    /// How far the time is shifted in an id; see `http.RefusalLog`.
    private static final int ID_RANDOM_BITS = 20;

    private static final ObjectMapper JSON = new ObjectMapper();

    /// The sandbox that it is about, by name; empty where the line does not tell.
    public String sandbox() {
        return stamp.sandbox().isEmpty()
                ? event.detail().getOrDefault(AuditFilter.SANDBOX, "")
                : stamp.sandbox();
    }

    /// Which door it came through: the first part of the kind.
    public String door() {
        return event.kind().substring(0, event.kind().indexOf('.'));
    }

    /// How long after the request came this was written, which its id tells: with a decision the
    /// time that deciding took, at the end of something its whole time.
    public OptionalLong millis() {
        String id = event.detail().getOrDefault("id", "");
        try {
            long asked = HexFormat.fromHexDigitsToLong(id) >>> ID_RANDOM_BITS;
            long millis = time.toEpochMilli() - asked;
            return millis < 0 || asked == 0 ? OptionalLong.empty() : OptionalLong.of(millis);
        } catch (IllegalArgumentException _) {
            return OptionalLong.empty();
        }
    }

    /// The exact bytes, without line end. What the event says is redacted and escaped.
    static byte[] encode(long seq, Instant time, AuditEvent event, String prev) {
        ChainedLines lines = new ChainedLines();
        lines.begin(prev, time);
        lines.add(seq, event);
        return Arrays.copyOf(lines.bytes(), lines.length() - 1);
    }

    /// How long the line of an event will be, before anything in it is redacted.
    static int bytesAbout(AuditEvent event) {
        int bytes = FRAME_BYTES + event.kind().length() + event.session().length();
        for (Map.Entry<String, String> entry : event.detail().entrySet()) {
            bytes += entry.getKey().length() + "\"\":\"\",".length();
            String value = entry.getValue();
            for (int i = 0; i < value.length(); i++) {
                bytes += escapedBytes(value.charAt(i));
            }
        }
        return bytes;
    }

    private static int escapedBytes(char c) {
        if (c < 0x20 || c > 0x7e) {
            return "\\u0000".length();
        }
        return c == '"' || c == '\\' ? 2 : 1;
    }

    /// Reads one line without its end and proves its hash; the message of the exception says what
    /// is wrong with it.
    static AuditLine decode(byte[] line) throws IOException {
        int body = line.length - SUFFIX_BYTES;
        if (body < 0 || !hasHashAt(line, body)) {
            throw new IOException("it is not a line of this log");
        }
        try {
            JsonNode json = JSON.readTree(line);
            String prev = json.path("prev").asText();
            String hash = json.path("hash").asText();
            String written =
                    new String(
                            line, body + HASH_FIELD.length, HASH_DIGITS, StandardCharsets.US_ASCII);
            if (prev.length() != HASH_DIGITS || !hash(prev, line, body).equals(written)) {
                throw new IOException("its hash does not fit what it says");
            }
            return new AuditLine(
                    json.path("seq").asLong(),
                    Instant.parse(json.path("time").asText()),
                    event(json),
                    stamp(json),
                    prev,
                    hash);
        } catch (JsonProcessingException | IllegalArgumentException | DateTimeException e) {
            throw new IOException("it is not a line of this log", e);
        }
    }

    private static Stamp stamp(JsonNode json) {
        return json.has("policy")
                ? new Stamp(
                        json.path("sandbox").asText(),
                        json.path("runtime").asText(),
                        json.path("policy").asText())
                : Stamp.NONE;
    }

    private static AuditEvent event(JsonNode json) {
        Map<String, String> detail = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry : json.path("detail").properties()) {
            detail.put(entry.getKey(), entry.getValue().asText());
        }
        return new AuditEvent(
                json.path("kind").asText(),
                json.path("session").asText(),
                json.path("decision").asText(),
                detail);
    }

    private static boolean hasHashAt(byte[] line, int offset) {
        for (int i = 0; i < HASH_FIELD.length; i++) {
            if (line[offset + i] != HASH_FIELD[i]) {
                return false;
            }
        }
        return line[line.length - 2] == '"' && line[line.length - 1] == '}';
    }

    private static String hash(String prev, byte[] line, int length) {
        MessageDigest sha256 = ChainedLines.sha256();
        sha256.update(HexFormat.of().parseHex(prev));
        sha256.update(line, 0, length);
        return HexFormat.of().formatHex(sha256.digest());
    }
}
