package dev.sallyport.approval;

import dev.sallyport.policy.Hashes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;

/// SHA-256 of a row of values, each with its length, so that no two rows have the same bytes.
final class Fingerprint {
    private final MessageDigest digest = Hashes.sha256();

    Fingerprint add(String... values) {
        for (String value : values) {
            byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
            add(bytes.length);
            digest.update(bytes);
        }
        return this;
    }

    Fingerprint add(List<String> values) {
        add(values.size());
        return add(values.toArray(String[]::new));
    }

    Fingerprint add(long value) {
        digest.update(ByteBuffer.allocate(Long.BYTES).putLong(value).flip());
        return this;
    }

    String hex() {
        return HexFormat.of().formatHex(digest.digest());
    }
}
