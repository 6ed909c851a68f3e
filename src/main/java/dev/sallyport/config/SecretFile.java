package dev.sallyport.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.credential.Secret;
import dev.sallyport.credential.SecretModule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// What one file of [SecretFiles] says. It is JSON with the fields `host`, `user` (optional),
/// `updated` and `value`.
record SecretFile(
        String name, HostName host, Optional<String> user, Instant updated, Secret value) {
    private static final int BYTES_MAX = 64 * 1024;
    private static final Pattern USER = Pattern.compile("[A-Za-z0-9._@+-]{1,100}");
    private static final Set<String> FIELDS = Set.of("host", "user", "updated", "value");
    private static final JsonMapper JSON =
            JsonMapper.builder()
                    .addModule(new SecretModule())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .build();

    byte[] toBytes() throws IOException {
        ObjectNode json = JSON.createObjectNode();
        json.put("host", host.value());
        user.ifPresent(text -> json.put("user", text));
        json.put("updated", updated.toString());
        json.set("value", JSON.valueToTree(value));
        return JSON.writeValueAsBytes(json);
    }

    /// A user name that cannot end the user part of basic authentication, or a header (G19).
    static boolean isUser(String text) {
        return USER.matcher(text).matches();
    }

    static SecretFile load(String name, Path file) throws IOException {
        if (Files.size(file) > BYTES_MAX) {
            throw damaged(name, file);
        }
        try {
            JsonNode json = JSON.readTree(Files.readAllBytes(file));
            for (var property : json.properties()) {
                if (!FIELDS.contains(property.getKey()) || !property.getValue().isTextual()) {
                    throw damaged(name, file);
                }
            }
            if (!json.has("value")) {
                throw damaged(name, file);
            }
            Optional<String> user = Optional.ofNullable(json.get("user")).map(JsonNode::asText);
            if (user.isPresent() && !isUser(user.get())) {
                throw damaged(name, file);
            }
            return new SecretFile(
                    name,
                    HostName.parse(json.path("host").asText()),
                    user,
                    Instant.parse(json.path("updated").asText()),
                    JSON.treeToValue(json.path("value"), Secret.class));
        } catch (JsonProcessingException | MalformedNameException | DateTimeException e) {
            throw damaged(name, file);
        }
    }

    /// Has no cause: a parser's message may quote the secret.
    private static ConfigException damaged(String name, Path file) {
        return new ConfigException(
                file + " is not a secret's file.",
                "Set it again: sallyport secret set " + name + " < token.txt");
    }
}
