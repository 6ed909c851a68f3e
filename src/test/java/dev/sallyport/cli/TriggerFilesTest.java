package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the search for files that git acts on finds, and what it must not read (I7, I13).
class TriggerFilesTest {
    @TempDir Path directory;
    private Path workspace;

    @BeforeEach
    void prepare() throws IOException {
        Path real = directory.toRealPath();
        workspace = Files.createDirectory(real.resolve("work"));
        Files.createDirectory(real.resolve("host"));
        for (String name : List.of("key", "config", "git-rebase-todo", "attributes")) {
            Files.writeString(real.resolve("host").resolve(name), "precious\n");
        }
        sh("git init -q .");
    }

    private void sh(String script) {
        Command.of("bash", "-ec", script).in(workspace).run().ok();
    }

    private TriggerFiles look() {
        return TriggerFiles.of(workspace, List.of());
    }

    private Set<String> fresh(TriggerFiles before) {
        return before.changesTo(look()).stream()
                .map(change -> change.path().toString())
                .collect(Collectors.toSet());
    }

    /// What is kept of a file is put back into the workspace, where a sandbox reads it.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ln -sf ../../host/config .git/config",
                "mkdir .git/rebase-merge; ln -s ../../../host/key .git/rebase-merge/git-rebase-todo",
                "ln -s ../../host .git/rebase-merge",
                "ln -s ../../../host/key .git/info/attributes",
                "rm -r .git/info; ln -s ../../host .git/info",
                "ln -s ../host/key .gitattributes",
                "ln -s ../host/key .gitmodules",
                "ln -s ../../../host/key .git/hooks/pre-push",
                "rm -r .git/hooks; ln -s ../../host .git/hooks",
                "ln -s ../../host/key .git/commondir",
                "mkdir sub; ln -s ../../host/key sub/.git",
                "ln -s ../../../../host/key .git/objects/info/alternates"
            })
    void i13NoFileOfTheHostIsKeptToBePutBack(String planted) {
        sh(planted);
        assertThat(look().found().values())
                .isNotEmpty()
                .allSatisfy(
                        trigger ->
                                assertThat(trigger.original().map(Trigger.Original::content))
                                        .satisfiesAnyOf(
                                                content -> assertThat(content).isEmpty(),
                                                content ->
                                                        assertThat(content.get())
                                                                .doesNotContain("precious")));
    }

    @Test
    void i13AFileOfTheWorkspaceIsKeptToBePutBack() {
        sh("printf x >.git/hooks/pre-push; chmod +x .git/hooks/pre-push");
        assertThat(look().at(Path.of(".git/hooks/pre-push")).orElseThrow().original())
                .isEqualTo(Optional.of(new Trigger.Original("x", true)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {".git/rebase-merge/git-rebase-todo", ".git/info/attributes", ".gitattributes"
            })
    void i13ALinkCountsWhateverItLeadsTo(String file) {
        TriggerFiles before = look();
        sh("mkdir -p $(dirname " + file + "); ln -s " + directory + "/host/key " + file);
        assertThat(fresh(before)).containsExactly(file);
    }
}
