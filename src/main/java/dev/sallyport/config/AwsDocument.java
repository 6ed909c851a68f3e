package dev.sallyport.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sallyport.credential.AwsKey;
import dev.sallyport.credential.Secret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// An access key of AWS as a person has it: the file `~/.aws/credentials` with one profile, or what
/// `aws configure export-credentials` prints.
final class AwsDocument {
    private static final JsonMapper JSON =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .build();

    private AwsDocument() {}

    /// The caller wipes the bytes.
    static Secret parse(byte[] bytes) throws IOException {
        String text = new String(bytes, StandardCharsets.ISO_8859_1).strip();
        Map<String, String> members = text.startsWith("{") ? json(bytes) : lines(text);
        try {
            return AwsKey.line(
                    members.getOrDefault("accesskeyid", ""),
                    members.getOrDefault("secretaccesskey", ""),
                    Optional.ofNullable(members.get("sessiontoken")));
        } catch (IllegalArgumentException e) {
            throw bad(e.getMessage() + ", or is missing");
        }
    }

    /// A parser's words may quote the key.
    private static Map<String, String> json(byte[] bytes) throws IOException {
        Map<String, String> members = new HashMap<>();
        try {
            JsonNode document = JSON.readTree(bytes);
            for (Map.Entry<String, JsonNode> member : document.properties()) {
                members.put(name(member.getKey()), member.getValue().asText());
            }
            return members;
        } catch (JsonProcessingException _) {
            throw bad("it is not valid JSON");
        }
    }

    private static Map<String, String> lines(String text) throws ConfigException {
        Map<String, String> members = new HashMap<>();
        for (String line : text.lines().map(String::strip).toList()) {
            int equals = line.indexOf('=');
            boolean skipped = line.isEmpty() || "#;[".indexOf(line.charAt(0)) >= 0;
            if (skipped || equals < 0) {
                continue;
            }
            String name = name(line.substring(0, equals).strip());
            if (members.put(name, line.substring(equals + 1).strip()) != null) {
                throw bad("it has several profiles");
            }
        }
        return members;
    }

    /// `AccessKeyId`, `aws_access_key_id` and `AWS_ACCESS_KEY_ID` are the same.
    private static String name(String written) {
        return written.toLowerCase(Locale.ROOT)
                .replaceFirst("^(export )?aws_", "")
                .replace("_", "");
    }

    private static ConfigException bad(String problem) {
        return new ConfigException(
                "This is not an access key of AWS: " + problem + ".",
                "Run: aws configure export-credentials --profile NAME | sallyport secret set …"
                        + " --kind aws");
    }
}
