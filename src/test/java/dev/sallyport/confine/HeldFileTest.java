package dev.sallyport.confine;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a sandbox leaves in place of a file does not make us wait (I13).
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HeldFileTest {
    /// Asks for a lease on what it is given, and keeps it when the kernel wants it back.
    private static final String LEASE =
            "$SIG{IO}='IGNORE'; open F,'+<',$ARGV[0]; fcntl(F,1024,1) or die $!; $|=1; print 'held'; sleep 600";

    @TempDir Path directory;

    private static String text(InputStream in) throws IOException {
        try (in) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
    }

    @Test
    void i13EveryFileInAWorkspaceIsOpenedByIt() {
        noClasses()
                .should()
                .callMethodWhere(
                        target(
                                        nameMatching(
                                                "newInputStream|newBufferedReader|read(All.*|String)|lines"))
                                .and(target(owner(name("java.nio.file.Files")))))
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching(
                        "java\\.nio\\.channels\\.FileChannel|java\\.io\\.File(InputStream|Reader)")
                .because("a sandbox puts a pipe there, and we wait until somebody writes to it")
                .check(
                        new ClassFileImporter()
                                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                                .importPackages("dev.sallyport.workspace"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"mkfifo x", "ln -s /dev/zero x", "mkdir x", "mkfifo p; ln -s p x", ":"})
    void i13OpensNothingButAFile(String planted) {
        Command.of("sh", "-c", planted).in(directory).run().ok();
        assertThatThrownBy(() -> HeldFile.open(directory.resolve("x")))
                .isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "a+b %41 é", "'$'\\xff"})
    void looksThroughLinksAndReadsTheNamesThatFilesHave(String name) throws IOException {
        Command.of("bash", "-c", "echo a >'" + name + "'; ln -s '" + name + "' '" + name + ".l'")
                .in(directory)
                .run()
                .ok();
        try (var files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                assertThat(text(HeldFile.open(file))).isEqualTo("a\n");
            }
        }
    }

    @Test
    void i13OpensOnlyTheFileThatIsMeant() throws IOException {
        Path one = Files.writeString(directory.resolve("one"), "1");
        Path other = Files.writeString(directory.resolve("other"), "2");
        Object key =
                Files.readAttributes(one, java.nio.file.attribute.BasicFileAttributes.class)
                        .fileKey();
        assertThat(text(HeldFile.open(one, key))).isEqualTo("1");
        assertThatThrownBy(() -> HeldFile.open(other, key)).isInstanceOf(IOException.class);
    }

    @Test
    void i13WaitsForNobodyWhoHasALease() throws IOException {
        Path file = Files.writeString(directory.resolve("x"), "1");
        Process holder = new ProcessBuilder("perl", "-e", LEASE, file.toString()).start();
        try {
            assertThat(holder.getInputStream().readNBytes(4)).asString().isEqualTo("held");
            assertThatThrownBy(() -> HeldFile.open(file)).isInstanceOf(IOException.class);
        } finally {
            holder.destroyForcibly();
        }
    }
}
