package dev.sallyport.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.Home;
import dev.sallyport.config.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is remembered of a workspace between two commands (I13).
class TriggerBaselineTest {
    private static final Path HOOK = Path.of("hook");

    @TempDir Path directory;
    private Home home;
    private TriggerBaseline baseline;

    @BeforeEach
    void prepare() throws IOException {
        Path root = directory.toRealPath().resolve("h");
        Files.createDirectory(
                root,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        home = new Home(root);
        baseline = new TriggerBaseline(home, "s1");
    }

    private TriggerFiles files(String content) {
        Trigger hook =
                new Trigger(
                        Trigger.Kind.GIT,
                        Set.of("m"),
                        Optional.of(new Trigger.Original(content, true, Optional.of("rwxr-x---"))));
        return new TriggerFiles(directory, "k", Map.of(HOOK, hook), false);
    }

    @Test
    void isReadAsItWasWritten() throws IOException {
        baseline.save(List.of(files("x")));
        assertThat(baseline.load()).contains(List.of(files("x")));
    }

    @Test
    void i13WhatWouldNotBeReadIsNotWrittenAndTheEarlierStateStays() throws IOException {
        baseline.save(List.of(files("x")));
        assertThatThrownBy(() -> baseline.save(List.of(files("y".repeat(1_000))), 1_000))
                .isInstanceOf(IOException.class)
                .hasMessage("it has more than 1000 bytes");
        assertThat(baseline.load()).contains(List.of(files("x")));
    }

    /// One of an older Sallyport says only whether the file was a program.
    @Test
    void i13AnEarlierFileOfUnknownModeIsPutBackForItsOwnerOnly() throws IOException {
        Path work = Files.createDirectory(directory.toRealPath().resolve("work"));
        TriggerFiles now = TriggerFiles.of(work, HostGit.NONE);
        home.create(home.watched());
        PrivateFile.replace(
                home.watched().resolve("s1.json"),
                """
                [{"root":"%s","key":"%s","partial":false,"found":{
                  "hook":{"kind":"GIT","marks":["m"],"original":{"content":"x","program":true}},
                  "config":{"kind":"CONFIG","marks":[],"original":{"content":"y","program":false}}}}]"""
                        .formatted(work, now.key())
                        .getBytes(StandardCharsets.UTF_8));
        TriggerFiles before = baseline.load().orElseThrow().getFirst();
        Aside aside = new Aside(home.root().resolve("store"));
        for (Path file : before.found().keySet()) {
            aside.putBack(before, file, before.at(file).orElseThrow().original().orElseThrow());
        }
        assertThat(mode(work.resolve("hook"))).isEqualTo("rwx------");
        assertThat(mode(work.resolve("config"))).isEqualTo("rw-------");
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
