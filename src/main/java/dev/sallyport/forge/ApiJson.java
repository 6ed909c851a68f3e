package dev.sallyport.forge;

import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.StrictJson;

/// The body of a write, with its limits.
final class ApiJson {
    private static final int DEPTH_MAX = 6;
    private static final int NUMBER_CHARACTERS_MAX = 18;
    private static final int NAME_CHARACTERS_MAX = 64;

    private static final StrictJson JSON =
            new StrictJson(
                    StreamReadConstraints.builder()
                            .maxNestingDepth(DEPTH_MAX)
                            .maxNumberLength(NUMBER_CHARACTERS_MAX)
                            .maxStringLength(Limits.Api.REQUEST_BYTES_HIGHEST)
                            .maxNameLength(NAME_CHARACTERS_MAX)
                            .build());

    private ApiJson() {}

    static ObjectNode object(byte[] body) throws ObjectionException {
        if (body.length > Limits.Api.REQUEST_BYTES_HIGHEST) {
            throw new ObjectionException(Refusal.BODY_TOO_LARGE, Refusal.BODY_TOO_LARGE.sentence());
        }
        return JSON.read(body)
                .orElseThrow(
                        () ->
                                new ObjectionException(
                                        Refusal.MALFORMED_BODY,
                                        "the body is not one JSON object in UTF-8 without repeated members"));
    }

    static ObjectNode empty() {
        return JSON.object();
    }

    static byte[] bytes(JsonNode node) {
        return JSON.bytes(node);
    }
}
