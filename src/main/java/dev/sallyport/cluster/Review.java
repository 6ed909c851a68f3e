package dev.sallyport.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.fleet.FleetRefusal;
import dev.sallyport.fleet.Pod;
import dev.sallyport.fleet.RefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A `TokenReview` (authentication.k8s.io/v1), as it is asked and answered.
final class Review {
    static final int BYTES_MAX = 128 * 1_024;

    /// What the API says to a review, whatever comes of it.
    static final int CREATED = 201;

    private static final String VERSION = "authentication.k8s.io/v1";
    private static final String KIND = "TokenReview";
    private static final String POD_NAME = "authentication.kubernetes.io/pod-name";
    private static final String POD_UID = "authentication.kubernetes.io/pod-uid";
    private static final Pattern ACCOUNT =
            Pattern.compile("system:serviceaccount:([^:]{1,63}):([^:]{1,253})");

    private static final JsonMapper JSON =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    private Review() {}

    /// @param audience that the token has to be for
    static byte[] question(String token, String audience) {
        ObjectNode review = JSON.createObjectNode().put("apiVersion", VERSION).put("kind", KIND);
        review.putObject("spec").put("token", token).putArray("audiences").add(audience);
        try {
            return JSON.writeValueAsBytes(review);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /// The pod that the API vouches for.
    ///
    /// @throws IOException when this is no answer to the question
    static Pod read(byte[] answer, String audience) throws IOException, RefusedException {
        JsonNode review = parse(answer);
        JsonNode status = review.path("status");
        if (!review.path("kind").asText().equals(KIND)
                || !review.path("apiVersion").asText().equals(VERSION)
                || !status.isObject()) {
            throw new IOException("not-a-review");
        }
        boolean vouched =
                status.path("authenticated").isBoolean()
                        && status.path("authenticated").booleanValue()
                        && status.path("error").asText().isEmpty()
                        && texts(status.path("audiences")).contains(audience);
        if (!vouched) {
            throw new RefusedException(FleetRefusal.BAD_TOKEN);
        }
        return pod(status.path("user"));
    }

    private static JsonNode parse(byte[] answer) throws IOException {
        try {
            return JSON.readTree(answer);
        } catch (JsonProcessingException _) {
            // The answer may have the token in it.
            throw new IOException("malformed");
        }
    }

    private static Pod pod(JsonNode user) throws RefusedException {
        Matcher account = ACCOUNT.matcher(user.path("username").asText());
        if (!account.matches()) {
            throw new RefusedException(FleetRefusal.OTHER_ACCOUNT);
        }
        List<String> name = texts(user.path("extra").path(POD_NAME));
        List<String> uid = texts(user.path("extra").path(POD_UID));
        if (name.size() != 1 || uid.size() != 1) {
            throw new RefusedException(FleetRefusal.NO_POD);
        }
        try {
            return new Pod(account.group(1), account.group(2), name.getFirst(), uid.getFirst());
        } catch (IllegalArgumentException _) {
            throw new RefusedException(FleetRefusal.NO_POD);
        }
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        if (list.isArray()) {
            list.forEach(one -> texts.add(one.isTextual() ? one.textValue() : ""));
        }
        return texts;
    }
}
