package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.Access;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.LfsRules;
import dev.sallyport.policy.PushRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// What the reference says about the rules of repositories.
class GitRulesDocumentTest {
    /// The reference lists every key with the numbers that the code has.
    @Test
    void isDocumentedKeyByKey() throws IOException {
        String reference = Files.readString(Path.of("docs/protocol/policy.md"));
        for (String key : GitRulesReader.PushRulesReader.KEYS) {
            assertThat(reference).containsPattern("(?m)^\\| `" + key + "` \\|");
        }
        for (String key : GitRulesReader.ApiRulesReader.KEYS) {
            assertThat(reference).containsPattern("(?m)^\\| `" + key + "` \\|");
        }
        for (String key : GitRulesReader.LfsRulesReader.KEYS) {
            assertThat(reference).containsPattern("(?m)^\\| `" + key + "` \\|");
        }
        LfsRules lfs = LfsRules.standard(Access.WRITE);
        LimitRange bytes = GitRulesReader.LfsRulesReader.BYTES_MAX;
        isDocumented(reference, "object-bytes-max", lfs.objectBytesMax(), bytes);
        isDocumented(reference, "upload-bytes-max", lfs.uploadBytesMax(), bytes);
        PushRules standard = PushRules.standard();
        ContentRules content = standard.content();
        isDocumented(
                reference,
                "pack-bytes-max",
                standard.packBytesMax(),
                GitRulesReader.PushRulesReader.PACK_BYTES_MAX);
        isDocumented(
                reference,
                "file-bytes-max",
                content.fileBytesMax(),
                GitRulesReader.PushRulesReader.FILE_BYTES_MAX);
        isDocumented(
                reference,
                "commits-max",
                content.commitsMax(),
                GitRulesReader.PushRulesReader.COMMITS_MAX);
        content.pathsDenied().forEach(path -> assertThat(reference).contains("`" + path + "`"));
    }

    private static void isDocumented(String reference, String key, long value, LimitRange range) {
        assertThat(reference)
                .containsPattern(
                        "(?m)^\\| `%s` \\|.*\\| %d; %d to %d \\|$"
                                .formatted(key, value, range.min(), range.max()));
    }
}
