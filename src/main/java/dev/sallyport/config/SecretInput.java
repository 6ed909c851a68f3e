package dev.sallyport.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sallyport.credential.AppKey;
import dev.sallyport.credential.AwsKey;
import dev.sallyport.credential.Secret;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Reads a secret from where a person keeps it: a private file or standard input, never an argument
/// or the environment, which other processes can read.
public final class SecretInput {
    private static final int LOGIN_BYTES_MAX = 64 * 1024;
    private static final int KEY_BYTES_MAX = 16 * 1024;

    private SecretInput() {}

    /// What is done with what a person gave.
    public interface Reading<T> {
        T read(InputStream input) throws IOException;
    }

    /// The file must be the person's own, closed to others, and no symlink, both before and after
    /// it was opened.
    public static <T> T open(Path file, Reading<T> reading) throws IOException {
        Ownership.requirePrivateFile(file);
        Object key = key(file);
        try (InputStream input = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            if (!Objects.equals(key, key(file))) {
                throw new ConfigException(file + " was replaced while it was read.", "Try again.");
            }
            return reading.read(input);
        }
    }

    private interface Parser<T> {
        T parse(byte[] bytes) throws IOException;
    }

    /// Wipes what was read, whatever came of it.
    ///
    /// @param what it is, and `remedy` what to do when it is larger
    private static <T> T whole(
            InputStream input, int bytesMax, String what, String remedy, Parser<T> parser)
            throws IOException {
        byte[] bytes = input.readNBytes(bytesMax + 1);
        try {
            if (bytes.length > bytesMax) {
                throw new ConfigException(what + " has more than " + bytesMax + " bytes.", remedy);
            }
            return parser.parse(bytes);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    /// The private key of a GitHub App in PEM.
    public static Secret readAppKey(InputStream input) throws IOException {
        String remedy = "Give only the .pem file of the App's private key.";
        return whole(input, KEY_BYTES_MAX, "The key", remedy, SecretInput::appKey);
    }

    private static Secret appKey(byte[] pem) throws ConfigException {
        try {
            return AppKey.ofPem(pem);
        } catch (AppKey.BadKeyException e) {
            throw new ConfigException(e.problem(), e.remedy());
        }
    }

    /// An access key of AWS.
    public static Secret readAwsKey(InputStream input) throws IOException {
        String remedy = "Give only one access key.";
        return whole(input, KEY_BYTES_MAX, "The access key", remedy, AwsDocument::parse);
    }

    /// The document of a login.
    public static LoginDocument readLogin(InputStream input) throws IOException {
        String remedy = "Give only the document of the login.";
        return whole(input, LOGIN_BYTES_MAX, "The login", remedy, LoginDocument::parse);
    }

    /// One line; a line end after it is not part of it.
    public static Secret read(InputStream input) throws IOException {
        byte[] bytes = new byte[Secret.BYTES_MAX + 1];
        byte[] token = {};
        try {
            int count = input.readNBytes(bytes, 0, bytes.length);
            token = Arrays.copyOf(bytes, tokenLength(bytes, count));
            return Secret.of(token);
        } finally {
            Arrays.fill(bytes, (byte) 0);
            Arrays.fill(token, (byte) 0);
        }
    }

    private static int tokenLength(byte[] bytes, int count) throws ConfigException {
        int length = count;
        if (length > Secret.BYTES_MAX) {
            throw new ConfigException(
                    "The secret has more than " + Secret.BYTES_MAX + " bytes.",
                    "Give only the token.");
        }
        length -= length > 0 && bytes[length - 1] == '\n' ? 1 : 0;
        length -= length > 0 && bytes[length - 1] == '\r' ? 1 : 0;
        if (length == 0) {
            throw new ConfigException("The secret is empty.", "Give the token as one line.");
        }
        for (int i = 0; i < length; i++) {
            if (bytes[i] <= 0x20 || bytes[i] == 0x7f) {
                throw new ConfigException(
                        "The secret contains a space, a control character or a non-ASCII character.",
                        "Give the token as one line of printable ASCII, nothing else.");
            }
        }
        return length;
    }

    private static Object key(Path file) throws IOException {
        Object key =
                Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                        .fileKey();
        return Objects.requireNonNull(key, "a Linux file system identifies its files");
    }

    /// An access key of AWS as a person has it: the file `~/.aws/credentials` with one profile, or
    /// what `aws configure export-credentials` prints.
    private static final class AwsDocument {
        private static final JsonMapper JSON =
                JsonMapper.builder()
                        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                        .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                        .build();

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
}
