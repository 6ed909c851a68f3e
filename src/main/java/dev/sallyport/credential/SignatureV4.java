package dev.sallyport.credential;

import dev.sallyport.policy.Hashes;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// AWS Signature Version 4 of one request, from the parts that go out (IAM user guide, "Create a
/// signed AWS API request"). All text has one character for each byte.
///
/// @param path as it is sent; it is escaped once more for the signature
/// @param query as it is sent, of unreserved characters, escapes, `&` and `=` alone
/// @param fields those that are signed, with names in lower case
/// @param bodyHash SHA-256 of the body in hex
record SignatureV4(
        String method,
        String path,
        String query,
        SortedMap<String, String> fields,
        String bodyHash) {
    private static final String ALGORITHM = "AWS4-HMAC-SHA256";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final int DATE_CHARS = 8;

    /// What a signature is good for.
    record Scope(String region, String service) {}

    static String time(Instant now) {
        return TIME.format(now);
    }

    /// The value of `Authorization`.
    ///
    /// @param time as in the field `x-amz-date`
    String authorization(AwsKey key, Scope scope, String time) {
        String date = time.substring(0, DATE_CHARS);
        List<String> words = List.of(date, scope.region(), scope.service(), "aws4_request");
        String where = String.join("/", words);
        String asked = hex(Hashes.sha256().digest(bytes(canonical())));
        String toSign = String.join("\n", ALGORITHM, time, where, asked);
        return "%s Credential=%s/%s, SignedHeaders=%s, Signature=%s"
                .formatted(ALGORITHM, key.id(), where, names(), hex(sign(key, words, toSign)));
    }

    private static byte[] sign(AwsKey key, List<String> words, String toSign) {
        byte[] derived = key.seed();
        for (String word : words) {
            byte[] next = hmac(derived, word);
            Arrays.fill(derived, (byte) 0);
            derived = next;
        }
        try {
            return hmac(derived, toSign);
        } finally {
            Arrays.fill(derived, (byte) 0);
        }
    }

    private String canonical() {
        String lines =
                fields.entrySet().stream()
                        .map(f -> f.getKey() + ":" + f.getValue().strip().replaceAll(" +", " "))
                        .collect(Collectors.joining("\n"));
        return String.join(
                "\n", method, escapedPath(), sortedQuery(), lines, "", names(), bodyHash);
    }

    /// AWS takes the path as it was sent and escapes it again.
    private String escapedPath() {
        return Arrays.stream(path.split("/", -1))
                .map(Spelling::percent)
                .collect(Collectors.joining("/"));
    }

    private String sortedQuery() {
        return Arrays.stream(query.split("&"))
                .filter(pair -> !pair.isEmpty())
                .map(pair -> (pair + (pair.indexOf('=') < 0 ? "=" : "")).split("=", 2))
                .map(pair -> new String[] {escapedAnew(pair[0]), escapedAnew(pair[1])})
                .sorted(Arrays::compare)
                .map(pair -> pair[0] + "=" + pair[1])
                .collect(Collectors.joining("&"));
    }

    private static String escapedAnew(String text) {
        return Spelling.percent(URLDecoder.decode(text, StandardCharsets.ISO_8859_1));
    }

    private String names() {
        return String.join(";", fields.keySet());
    }

    private static byte[] hmac(byte[] key, String text) {
        return hmac(key, bytes(text));
    }

    static byte[] hmac(byte[] key, byte[] text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HMAC with SHA-256", e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
