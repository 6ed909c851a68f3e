package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `.sallyport.yaml` of a workspace, and who trusts it.
class ProjectFileTest {
    private static final Path NAME = Path.of("work/.sallyport.yaml");

    @TempDir Path directory;

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private ProjectFile parse(String text) throws IOException {
        Machine machine = new Machine(directory, directory);
        return ProjectFile.parse(bytes(text), NAME, List.of(GitHost.GITHUB), machine);
    }

    private TrustedFiles trusted() {
        return new TrustedFiles(directory.resolve("trusted.json"));
    }

    @Test
    void hasRulesThatSayWhereTheyWereWritten() throws IOException {
        ProjectFile file = parse("egress:\n  - host: a.example\n  - preset: cargo\n");
        assertThat(file.rules().getFirst().origin()).isEqualTo("work/.sallyport.yaml:2");
        assertThat(file.rules().get(1).origin()).isEqualTo("work/.sallyport.yaml:3 (preset cargo)");
        assertThat(parse("").rules()).isEmpty();
        assertThat(parse("egress: []").rules()).isEmpty();
    }

    /// I7.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "git: []",
                "hosts: []",
                "limits: {}",
                "egress: []\ngit: []",
                "egress: [{host: github.com}]",
                "egress: [{host: a.example, inspect: true, ca-file: ca.pem}]",
                "egress: [{host: a.example}, {host: a.example}]",
                "egress: &a []",
            })
    void mayOnlyOpenHostsBesidesGit(String text) {
        assertThatThrownBy(() -> parse(text))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("work/.sallyport.yaml:");
    }

    @Test
    void refusesWhatIsTooLargeOrNotText() {
        assertThatThrownBy(() -> parse("#".repeat((1 << 20) + 1)))
                .hasMessageContaining("larger than 1 MiB");
        Machine machine = new Machine(directory, directory);
        byte[] garbage = {(byte) 0xff, (byte) 0xfe};
        assertThatThrownBy(() -> ProjectFile.parse(garbage, NAME, List.of(), machine))
                .hasMessageContaining("not UTF-8");
    }

    /// I7: what an agent writes after a person looked is not what the person trusted.
    @Test
    void isTrustedByItsBytesAtItsPath() throws IOException {
        Path file = directory.resolve("work/.sallyport.yaml");
        byte[] seen = bytes("egress: []");
        assertThat(trusted().isTrusted(file, seen)).isFalse();
        trusted().trust(file, seen);
        assertThat(trusted().isTrusted(file, seen)).isTrue();
        assertThat(trusted().isTrusted(directory.resolve("x/../work/.sallyport.yaml"), seen))
                .isTrue();
        assertThat(trusted().isTrusted(file, bytes("egress: [] "))).isFalse();
        assertThat(trusted().isTrusted(file, bytes(""))).isFalse();
        assertThat(trusted().isTrusted(directory.resolve("other/.sallyport.yaml"), seen)).isFalse();

        trusted().trust(file, bytes("egress: [] "));
        assertThat(trusted().isTrusted(file, seen)).isFalse();
        assertThat(trusted().list()).extracting(TrustedFiles.Entry::path).containsExactly(file);

        assertThat(trusted().forget(file)).isTrue();
        assertThat(trusted().forget(file)).isFalse();
        assertThat(trusted().isTrusted(file, bytes("egress: [] "))).isFalse();
    }

    @Test
    void keepsTheListPrivate() throws IOException {
        trusted().trust(directory.resolve("a"), bytes("a"));
        Path list = directory.resolve("trusted.json");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(list)))
                .isEqualTo("rw-------");
        assertThat(Files.readString(list)).contains("\"path\"", "\"sha256\"", "\"when\"");
        Files.setPosixFilePermissions(list, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> trusted().isTrusted(directory.resolve("a"), bytes("a")))
                .hasMessageContaining("chmod 600");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "[",
                "[1]",
                "[{}]",
                "[{\"path\": \"/a\", \"sha256\": \"00\", \"when\": \"2026-01-01T00:00:00Z\"}]",
                "[{\"path\": \"\\u0000\"}]",
                "[{\"path\": 1}]",
                "[{\"extra\": \"\"}]",
            })
    void trustsNothingWhenTheListIsDamaged(String content) throws IOException {
        Path list = directory.resolve("trusted.json");
        Ownership.createPrivateFile(list);
        Files.writeString(list, content);
        assertThatThrownBy(() -> trusted().isTrusted(directory.resolve("a"), bytes("a")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("is not a list of trusted files");
        assertThatThrownBy(() -> trusted().trust(directory.resolve("a"), bytes("a")))
                .isInstanceOf(ConfigException.class);
        assertThat(Files.readString(list)).isEqualTo(content);
    }
}
