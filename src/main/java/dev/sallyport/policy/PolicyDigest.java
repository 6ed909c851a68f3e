package dev.sallyport.policy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// SHA-256 over a canonical text of rules. Each value stands with its length before it and each
/// list with its size, so that no two different rule sets have the same text.
final class PolicyDigest {
    private final StringBuilder text = new StringBuilder("sallyport-policy-2\n");

    private PolicyDigest() {}

    static String of(List<RepoGrant> grants) {
        PolicyDigest digest = new PolicyDigest();
        grants.forEach(digest::grant);
        return digest.sha256();
    }

    private void grant(RepoGrant grant) {
        PushRules push = grant.push();
        ContentRules content = push.content();
        value("repo", grant.repo());
        value("access", grant.access());
        optional("refs-visible", grant.visible().patterns());
        list("branches", push.branches());
        value("force", push.force());
        value("delete", push.delete());
        value("tags", push.tags());
        value("pack-bytes-max", push.packBytesMax());
        list("paths-denied", content.pathsDenied());
        optional("paths-allowed", content.pathsAllowed());
        value("file-bytes-max", content.fileBytesMax());
        value("commits-max", content.commitsMax());
        value("secrets", content.secrets());
        optional("author", content.authors());
    }

    private void value(String key, Object value) {
        String written = value.toString();
        text.append(key).append(' ').append(written.length()).append(' ').append(written);
        text.append('\n');
    }

    private void list(String key, Collection<?> values) {
        value(key, values.size());
        values.forEach(value -> value("-", value));
    }

    private <T> void optional(String key, Optional<List<T>> values) {
        values.ifPresentOrElse(list -> list(key, list), () -> value(key, "absent"));
    }

    private String sha256() {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            return HexFormat.of()
                    .formatHex(sha256.digest(text.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
