package dev.sallyport.lfs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// What a sandbox wants to transfer, read strictly; what goes upstream is written anew from it.
///
/// @param ref what the objects are for, as the client says; upstream may ask for it
record BatchRequest(GitService operation, Optional<String> ref, List<LfsObject> objects) {
    /// git-lfs sends 100 at once.
    static final int OBJECTS_MAX = 1_000;

    static final int BYTES_MAX = 256 << 10;

    private static final Set<String> MEMBERS =
            Set.of("operation", "transfers", "ref", "objects", "hash_algo");
    private static final String BASIC = "basic";
    private static final Pattern REF = Pattern.compile("refs/[!-~&&[^\\\\\"]]{1,512}");

    BatchRequest {
        objects = List.copyOf(objects);
    }

    static BatchRequest parse(byte[] body) throws RefusedException {
        ObjectNode root = LfsJson.JSON.read(body).orElseThrow(BatchRequest::malformed);
        for (String name : root.propertyStream().map(entry -> entry.getKey()).toList()) {
            require(MEMBERS.contains(name));
        }
        require(root.path("hash_algo").asText("sha256").equals("sha256"));
        requireBasic(root.path("transfers"));
        return new BatchRequest(
                operation(root.path("operation").asText("")),
                ref(root.path("ref")),
                objects(root.path("objects")));
    }

    private static GitService operation(String word) throws RefusedException {
        return switch (word) {
            case "download" -> GitService.UPLOAD_PACK;
            case "upload" -> GitService.RECEIVE_PACK;
            default -> throw malformed();
        };
    }

    /// Other ways to transfer are not offered; a client that has none of its own takes this one.
    private static void requireBasic(JsonNode transfers) throws RefusedException {
        if (transfers.isMissingNode() || transfers.isNull() || transfers.isEmpty()) {
            return;
        }
        require(transfers.isArray());
        boolean basic = false;
        for (JsonNode transfer : transfers) {
            basic |= BASIC.equals(transfer.asText());
        }
        require(basic);
    }

    /// A name that cannot be written is left out: git-lfs works without.
    private static Optional<String> ref(JsonNode ref) {
        return Optional.of(ref.path("name").asText("")).filter(name -> REF.matcher(name).matches());
    }

    private static List<LfsObject> objects(JsonNode list) throws RefusedException {
        require(list.isArray() && !list.isEmpty());
        if (list.size() > OBJECTS_MAX) {
            throw new RefusedException(Refusal.BODY_TOO_LARGE, "too many objects");
        }
        List<LfsObject> objects = new ArrayList<>();
        Set<Oid> seen = new HashSet<>();
        for (JsonNode node : list) {
            LfsObject object = LfsObject.parse(node).orElseThrow(BatchRequest::malformed);
            if (seen.add(object.oid())) {
                objects.add(object);
            }
        }
        return objects;
    }

    private static void require(boolean holds) throws RefusedException {
        if (!holds) {
            throw malformed();
        }
    }

    private static RefusedException malformed() {
        return new RefusedException(Refusal.MALFORMED_BODY, "not a batch of the LFS API");
    }

    boolean isUpload() {
        return operation == GitService.RECEIVE_PACK;
    }

    /// As people and the API call it.
    String word() {
        return isUpload() ? "upload" : "download";
    }

    long bytes() {
        return objects.stream().mapToLong(LfsObject::size).reduce(0, BatchRequest::sum);
    }

    private static long sum(long one, long other) {
        return one > Long.MAX_VALUE - other ? Long.MAX_VALUE : one + other;
    }

    BatchRequest with(List<LfsObject> others) {
        return new BatchRequest(operation, ref, others);
    }

    byte[] json() {
        ObjectNode root = LfsJson.JSON.object();
        root.put("operation", word());
        root.putArray("transfers").add(BASIC);
        ref.ifPresent(name -> root.putObject("ref").put("name", name));
        ArrayNode list = root.putArray("objects");
        objects.forEach(object -> object.write(list.addObject()));
        root.put("hash_algo", "sha256");
        return LfsJson.JSON.bytes(root);
    }
}
