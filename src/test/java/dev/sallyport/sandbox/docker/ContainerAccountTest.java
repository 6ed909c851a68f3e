package dev.sallyport.sandbox.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.fixture.Command;
import dev.sallyport.sandbox.SandboxUser;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The account that a user gets whom the image does not know.
class ContainerAccountTest {
    private static final String ACCOUNTS = "root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/h:";
    @TempDir Path directory;

    @Test
    void aNumberIsKnownByItsOwnColumnOnly() {
        assertThat(ContainerAccount.knows(ACCOUNTS, "1000")).isTrue();
        assertThat(ContainerAccount.knows(ACCOUNTS, "100")).isFalse();
        assertThat(ContainerAccount.knows("a:x:5:1000::/h:", "1000")).isFalse();
    }

    /// Else an agent that turns git's files off commits as the image's root.
    @Test
    void anAccountOfTheImageGetsThePersonsName() {
        assertThat(ContainerAccount.named(ACCOUNTS, "0", "Ada"))
                .isEqualTo(ACCOUNTS.replace("0:0:root", "0:0:Ada"));
        assertThat(ContainerAccount.named(ACCOUNTS + "\n", "node", "Łukasz"))
                .isEqualTo(
                        ACCOUNTS.replace("1000:1000::", "1000:1000:" + bytes("Łukasz") + ":")
                                + "\n");
        assertThat(ContainerAccount.named(ACCOUNTS, "7", "Ada")).isEqualTo(ACCOUNTS);
    }

    private static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    @Test
    void theEntryStandsOnALineOfItsOwnUnderANameThatIsFree() {
        assertThat(
                        ContainerAccount.with(
                                ACCOUNTS,
                                new SandboxUser.Numbers(1001, 7),
                                "Ada Lovelace",
                                "home/sandbox"))
                .isEqualTo(ACCOUNTS + "\nsandbox:x:1001:7:Ada Lovelace:/home/sandbox:/bin/sh\n");
        assertThat(
                        ContainerAccount.with(
                                "sandbox:x:1:1::/:/bin/sh\n",
                                new SandboxUser.Numbers(5, 5),
                                "",
                                "home/sandbox"))
                .contains("\nsandbox-5:x:5:5:");
    }

    @Test
    void tarReadsWhatWeWriteAndWeReadWhatTarWrites() throws Exception {
        byte[] archive =
                new ContainerAccount.TarArchive()
                        .directory("home/sandbox", 0700, 1000, 4_000_000_000L)
                        .file("etc/passwd", 0644, ACCOUNTS)
                        .bytes();
        Path file = Files.write(directory.resolve("a.tar"), archive);
        String listing = Command.of("tar", "--numeric-owner", "-tvf", file.toString()).run().ok();
        assertThat(listing.lines().map(line -> line.replaceAll(" +", " ")))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("drwx------ 1000/4000000000 0 "),
                        line -> assertThat(line).startsWith("-rw-r--r-- 0/0 " + ACCOUNTS.length()));

        Files.writeString(directory.resolve("passwd"), ACCOUNTS);
        Files.createSymbolicLink(directory.resolve("link"), Path.of("passwd"));
        assertThat(firstOf("passwd")).contains(ACCOUNTS);
        assertThat(firstOf("link")).isEmpty();
        assertThatThrownBy(
                        () ->
                                ContainerAccount.TarArchive.firstFile(
                                        new ByteArrayInputStream(archiveOf("passwd")), 10))
                .isInstanceOf(IOException.class);
    }

    private java.util.Optional<String> firstOf(String name) throws IOException {
        return ContainerAccount.TarArchive.firstFile(
                new ByteArrayInputStream(archiveOf(name)), 1000);
    }

    private byte[] archiveOf(String name) throws IOException {
        Path file = directory.resolve("b.tar");
        Command.of("tar", "-C", directory.toString(), "-cf", file.toString(), name).run().ok();
        return Files.readAllBytes(file);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "root", "1000:", "-1", "1000:x", "99999999999", "4294967295", " 1"})
    void whatIsNoUserIsRefused(String text) {
        assertThatThrownBy(() -> SandboxUser.parse(text))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aUserIsReadAsItIsWritten() {
        for (String label : java.util.List.of("usual", "image", "owner", "0:0", "1000:100")) {
            assertThat(SandboxUser.parse(label).label()).isEqualTo(label);
        }
        assertThat(SandboxUser.parse("1000").label()).isEqualTo("1000:1000");
    }
}
