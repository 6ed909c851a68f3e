package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.PolicyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A rule that `watch` writes joins the file, and changes nothing else in it.
final class RuleAdditionTest {
    @TempDir Path directory;
    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("policy.yaml");
    }

    private void write(String text) throws IOException {
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void itStandsAfterTheLastRule() throws Exception {
        write("egress:\n  - host: a.example # mine\n    ports: [443]\n\nlimits: {}\n");
        RuleAddition addition = RuleAddition.of(file, "b.example:8443");
        assertThat(addition.diff())
                .contains("+  - {host: b.example, ports: [8443]}", " limits: {}");
        assertThat(file).content().doesNotContain("b.example");

        addition.write();
        assertThat(file)
                .content()
                .isEqualTo(
                        "egress:\n  - host: a.example # mine\n    ports: [443]\n  - {host: b.example, ports: [8443]}\n\nlimits: {}\n");
        assertThat(PolicyFile.load(file).egress().rules()).hasSize(2);
        assertThat(directory)
                .isDirectoryContaining(p -> p.equals(file))
                .isDirectoryNotContaining(p -> !p.equals(file));
    }

    @Test
    void withoutAListOrAFileThereIsOneAfterwards() throws Exception {
        RuleAddition.of(file, "b.example").write();
        assertThat(file).content().isEqualTo("egress:\n  - host: b.example\n");

        write("limits: {}\n");
        RuleAddition.of(file, "b.example").write();
        assertThat(file).content().isEqualTo("limits: {}\negress:\n  - host: b.example\n");
    }

    @Test
    void aFileThatItDoesNotFitIsLeftAlone() throws Exception {
        for (String text :
                new String[] {"egress: [{host: a.example}]\n", "egress:\n  - host: b.example\n"}) {
            write(text);

            assertThatThrownBy(() -> RuleAddition.of(file, "b.example"))
                    .isInstanceOf(CliException.class)
                    .hasMessageContaining("cannot be added");
            assertThat(file).content().isEqualTo(text);
        }
    }

    @Test
    void whatChangedSinceItWasShownIsNotOverwritten() throws Exception {
        write("limits: {}\n");
        RuleAddition addition = RuleAddition.of(file, "b.example");
        write("sessions: {}\n");

        assertThatThrownBy(addition::write).hasMessageContaining("somebody else");
        assertThat(file).content().isEqualTo("sessions: {}\n");
    }
}
