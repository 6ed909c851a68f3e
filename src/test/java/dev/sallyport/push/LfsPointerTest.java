package dev.sallyport.push;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LfsPointerTest {
    private static final String OID =
            "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";

    private static byte[] content(String form) {
        return form.replace("V1", "version https://git-lfs.github.com/spec/v1")
                .replace("OID", "oid sha256:" + OID)
                .replace("HEX", OID)
                .getBytes(StandardCharsets.UTF_8);
    }

    private static Optional<LfsPointer> read(String form) {
        byte[] content = content(form);
        return LfsPointer.isLike(content) ? LfsPointer.parse(content, "here") : Optional.empty();
    }

    static Stream<String> forms() {
        return Stream.of(
                "V1\nOID\nsize 12345\n",
                "V1\nOID\nsize 12345",
                "V1\r\nOID\r\nsize 12345\r\n",
                "\n \tV1\n\nOID\n\nsize 12345\n\n\n",
                "V1\next-0-case sha256:HEX\nOID\nsize 12345\n",
                "V1\nOID\next-0-case sha256:HEX\nsize 12345\n",
                "ext-0-case sha256:HEX\nV1\next-1-x sha256:HEX\nOID\nsize 12345\n",
                "V1\nOID\nsize +12345\n",
                "V1\nOID\nsize " + "0".repeat(40) + "12345\n",
                "\u00a0\u2003\u0085\u3000\u202fV1\nOID\nsize 12345\u00a0\u0085\u2028\n",
                "\u000b\u000cV1\nOID\nsize 12345\u000b\n",
                "V1\nOID\nsize 12345\n" + " ".repeat(2_000),
                "V1\nOID\nsize 12345\n" + " ".repeat(1_000) + "whatever comes then",
                "version https://hawser.github.com/spec/v1\nOID\nsize 12345\n",
                "version http://git-media.io/v/2\nOID\nsize 12345\n");
    }

    /// What git-lfs takes for a pointer must be judged as one: it is asked itself.
    @ParameterizedTest
    @MethodSource("forms")
    void readsAsGitLfsReads(String form, @TempDir Path directory) throws IOException {
        assertThat(isPointerToGitLfs(form, directory)).isTrue();
        assertThat(read(form)).contains(new LfsPointer(OID, 12_345, "here"));
    }

    private static boolean isPointerToGitLfs(String form, Path directory) throws IOException {
        Files.write(directory.resolve("file"), content(form));
        return Command.of("git", "lfs", "pointer", "--check", "--file", "file")
                        .in(directory)
                        .run()
                        .exit()
                == 0;
    }

    @Test
    void readsTheSmallestAndTheLargestSize() {
        assertThat(read("V1\nOID\nsize -0\n")).contains(new LfsPointer(OID, 0, "here"));
        assertThat(read("V1\nOID\nsize 9223372036854775807\n"))
                .contains(new LfsPointer(OID, Long.MAX_VALUE, "here"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "V1\n",
                "V1\nsize 12345\nOID\n",
                "V1\nOID\nsize -1\n",
                "V1\nOID\nsize 9223372036854775808\n",
                "V1\nOID\nsize 1_000\n",
                "V1\nOID\nsize 12345\next-0-case sha256:HEX\n",
                "V1\nOID\nOID\nsize 12345\n",
                "V1\nother x\nOID\nsize 12345\n",
                "\u200bV1\nOID\nsize 12345\n",
                "V1\nOID\nsize 12345\nmore x\n",
                "version https://git-lfs.github.com/spec/v9\nOID\nsize 12345\n",
                "x V1\nOID\nsize 12345\n",
                "V1\noid sha256:4d7a\nsize 12345\n",
            })
    void takesNothingElseForAPointer(String form, @TempDir Path directory) throws IOException {
        assertThat(form.isEmpty() || !isPointerToGitLfs(form, directory)).isTrue();
        assertThat(read(form)).isEmpty();
    }
}
