package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.policy.ApiLevel;
import dev.sallyport.policy.LfsRules;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `lfs:` of a repository in a policy file.
class LfsRulesTest {
    @TempDir Path dir;

    private LfsRules read(String access, String lfs) throws Exception {
        Path file = dir.resolve("policy.yaml");
        Files.writeString(
                file,
                "git:\n  - repo: github.com/acme/app\n    access: %s\n%s".formatted(access, lfs));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return PolicyFile.load(file).git().getFirst().grant().lfs();
    }

    @Test
    void followsTheAccessOfTheRepository() throws Exception {
        assertThat(read("write", "").access()).isEqualTo(ApiLevel.WRITE);
        assertThat(read("read", "").access()).isEqualTo(ApiLevel.READ);
        assertThat(read("write", "    lfs: {access: off}\n").isNone()).isTrue();
    }

    @Test
    void readsItsLimitsAndStores() throws Exception {
        LfsRules rules =
                read(
                        "write",
                        "    lfs: {object-bytes-max: 5, upload-bytes-max: 6, storage: [s.example.com, \"*.example.org\"]}\n");

        assertThat(rules.objectBytesMax()).isEqualTo(5);
        assertThat(rules.uploadBytesMax()).isEqualTo(6);
        assertThat(rules.storage().toString()).isEqualTo("[s.example.com, *.example.org]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{access: write}",
                "{access: some}",
                "{object-bytes-max: 0}",
                "{storage: [\"*\"]}",
                "{storage: [10.0.0.1]}",
                "{size: 1}"
            })
    void refusesWhatCannotHold(String lfs) {
        assertThatThrownBy(() -> read("read", "    lfs: " + lfs + "\n"))
                .isInstanceOf(ConfigException.class);
    }
}
