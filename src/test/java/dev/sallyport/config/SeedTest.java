package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SeedTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                ".claude.json",
                ".config/a/settings.json",
                "..a",
                "a..",
                "-rf",
                "...",
                "a+b@c"
            })
    void namesAFileInTheHome(String path) {
        assertThat(new Seed(path, "x").path()).isEqualTo(path);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/etc/passwd",
                "..",
                ".",
                "a/..",
                "../a",
                "a/../b",
                "a//b",
                "a/",
                "./a",
                "a\nb",
                "a b",
                "~/a",
                "$(x)"
            })
    void isNowhereElse(String path) {
        assertThatIllegalArgumentException().isThrownBy(() -> new Seed(path, "x"));
    }

    @Test
    void isText() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Seed("a", "x\0"));
    }

    @Test
    void areFewAndSmall() {
        Seed large = new Seed("a", "x".repeat(65 << 10));
        assertThat(Seed.few(List.of(large))).hasSize(1);
        assertThatIllegalArgumentException().isThrownBy(() -> Seed.few(List.of(large, large)));
        Seed small = new Seed("a", "");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Seed.few(Collections.nCopies(65, small)));
    }
}
