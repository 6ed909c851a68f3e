package dev.sallyport.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LfsPointerTest {
    private static final String OID =
            "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";

    private static Optional<LfsPointer> read(String form) {
        byte[] content =
                form.replace("V1", "version https://git-lfs.github.com/spec/v1")
                        .replace("OID", "oid sha256:" + OID)
                        .getBytes(StandardCharsets.UTF_8);
        return LfsPointer.isLike(content) ? LfsPointer.parse(content, "here") : Optional.empty();
    }

    /// What git-lfs takes for a pointer must be judged as one.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "V1\nOID\nsize 12345\n",
                "V1\nOID\nsize 12345",
                "V1\r\nOID\r\nsize 12345\r\n",
                "\n \tV1\n\nOID\n\nsize 12345\n\n\n",
                "V1\next-0-case sha256:x\nOID\nsize 12345\n",
                "V1\nOID\nsize +12345\n",
                "version https://hawser.github.com/spec/v1\nOID\nsize 12345\n",
                "version http://git-media.io/v/2\nOID\nsize 12345\n",
            })
    void readsAsGitLfsReads(String form) {
        assertThat(read(form)).contains(new LfsPointer(OID, 12_345, "here"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "V1\n",
                "V1\nsize 12345\nOID\n",
                "V1\nOID\nsize -1\n",
                "V1\nOID\nsize 12345\nmore x\n",
                "version https://git-lfs.github.com/spec/v9\nOID\nsize 12345\n",
                "x V1\nOID\nsize 12345\n",
                "V1\noid sha256:4d7a\nsize 12345\n",
            })
    void takesNothingElseForAPointer(String form) {
        assertThat(read(form)).isEmpty();
    }
}
