package dev.sallyport.lfs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.upstream.AnswerHead;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/// Lists locks, for people and before a push. What the git host says about them is written anew.
///
/// @param verify whether it is asked whose each lock is, as before a push
record LocksExchange(LfsCase matter, boolean verify) implements SmallExchange.Kind {
    private static final int BYTES_MAX = 16 << 10;
    private static final int LOCKS_MAX = 10_000;
    private static final int TEXT_CHARACTERS_MAX = 4_096;
    private static final Set<String> PARAMETERS =
            Set.of("path", "id", "cursor", "limit", "refspec");
    private static final Pattern VALUE = Pattern.compile("[A-Za-z0-9._~%/+:@,-]{0,2048}");

    private String path() {
        return verify ? "locks/verify" : "locks";
    }

    @Override
    public int bytesMax() {
        return BYTES_MAX;
    }

    @Override
    public SmallExchange.Question judge(byte[] body) throws RefusedException {
        byte[] question = verify ? question(body) : new byte[0];
        String endpoint = path() + (verify ? "" : query(matter.ask().head().query()));
        String method = verify ? "POST" : "GET";
        return new SmallExchange.Question(
                matter.api(method, endpoint, question.length, false), question);
    }

    /// Written anew.
    static byte[] question(byte[] body) throws RefusedException {
        ObjectNode asked =
                LfsJson.JSON
                        .read(body)
                        .orElseThrow(
                                () -> new RefusedException(Refusal.MALFORMED_BODY, "no object"));
        ObjectNode question = LfsJson.JSON.object();
        text(asked, "cursor").ifPresent(cursor -> question.put("cursor", cursor));
        int limit = asked.path("limit").asInt(0);
        if (limit > 0) {
            question.put("limit", limit);
        }
        text(asked.path("ref"), "name")
                .ifPresent(name -> question.putObject("ref").put("name", name));
        return LfsJson.JSON.bytes(question);
    }

    private static String query(String query) throws RefusedException {
        if (query.isEmpty()) {
            return "";
        }
        Set<String> seen = new HashSet<>();
        for (String parameter : query.split("&", -1)) {
            String[] parts = parameter.split("=", 2);
            if (parts.length != 2
                    || !PARAMETERS.contains(parts[0])
                    || !seen.add(parts[0])
                    || !VALUE.matcher(parts[1]).matches()) {
                throw new RefusedException(Refusal.BAD_REQUEST, "a parameter of the query");
            }
        }
        return "?" + query;
    }

    @Override
    public CompletableFuture<Void> record(Optional<Refusal> reason) {
        return matter.shared()
                .audit()
                .request(matter.ask(), matter.permit().repo(), path(), reason);
    }

    @Override
    public void answered(AnswerHead head, byte[] body) {
        if (head.status() != 200) {
            matter.fail(matter.failure(head), "");
            return;
        }
        Optional<ObjectNode> said =
                head.values("content-encoding").isEmpty()
                        ? LfsJson.JSON.read(body)
                        : Optional.empty();
        said.map(lists -> listed(lists, verify))
                .ifPresentOrElse(
                        answer -> LfsAnswer.write(matter.ask(), 200, answer),
                        () -> matter.fail(Refusal.UPSTREAM_MISBEHAVED));
    }

    static ObjectNode listed(ObjectNode said, boolean verify) {
        ObjectNode answer = LfsJson.JSON.object();
        for (String list : verify ? List.of("ours", "theirs") : List.of("locks")) {
            copy(said.path(list), answer.putArray(list));
        }
        text(said, "next_cursor").ifPresent(cursor -> answer.put("next_cursor", cursor));
        return answer;
    }

    private static void copy(JsonNode locks, ArrayNode to) {
        for (JsonNode lock : locks) {
            if (to.size() >= LOCKS_MAX) {
                return;
            }
            ObjectNode copy = to.addObject();
            for (String name : List.of("id", "path", "locked_at")) {
                text(lock, name).ifPresent(value -> copy.put(name, value));
            }
            text(lock.path("owner"), "name")
                    .ifPresent(value -> copy.putObject("owner").put("name", value));
        }
    }

    private static Optional<String> text(JsonNode node, String name) {
        return Optional.of(node.path(name).asText(""))
                .filter(value -> !value.isEmpty() && value.length() <= TEXT_CHARACTERS_MAX);
    }
}
