package dev.sallyport.lfs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/// An object as requests and answers name it.
record LfsObject(Oid oid, long size) {
    static Optional<LfsObject> parse(JsonNode node) {
        JsonNode size = node.path("size");
        if (!node.path("oid").isTextual() || !size.isIntegralNumber() || !size.canConvertToLong()) {
            return Optional.empty();
        }
        long bytes = size.longValue();
        return bytes < 0
                ? Optional.empty()
                : Oid.parse(node.path("oid").textValue()).map(oid -> new LfsObject(oid, bytes));
    }

    /// Adds it to what is written.
    ObjectNode write(ObjectNode node) {
        return node.put("oid", oid.hex()).put("size", size);
    }
}
