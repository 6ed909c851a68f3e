package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How a clone goes, whatever its agent has put there.
class ClonedWorkspaceTest {
    @TempDir Path directory;

    private Path precious() {
        return directory.resolve("outside/precious");
    }

    private Path filled() throws IOException {
        Path clone = Files.createDirectory(directory.resolve("fix"));
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.writeString(precious(), "x");
        Files.createSymbolicLink(clone.resolve("link"), outside);
        String half = "d/".repeat(1_500);
        Command.of("sh", "-c", "mkfifo pipe; mkdir -p a/$1 b/$1 && mv b a/$1", "sh", half)
                .in(clone)
                .run()
                .ok();
        return clone;
    }

    @Test
    void removalFollowsNoLinkAndEndsDeepTrees() throws IOException {
        Path clone = filled();
        ClonedWorkspace.remove(clone);
        assertThat(clone).doesNotExist();
        assertThat(precious()).exists();
    }

    @Test
    void whatAnInterruptedRemovalLeftIsNotInTheWay() throws IOException {
        Path clone = filled();
        Path rest = ClonedWorkspace.discard(clone);
        Files.createDirectory(clone);
        assertThat(ClonedWorkspace.discard(clone)).isEqualTo(rest).isEmptyDirectory();
        assertThat(precious()).exists();
    }

    private Command sh(Path place, String script) {
        return Command.of("sh", "-ec", script).in(place).with("GIT_CONFIG_GLOBAL", "/dev/null");
    }

    private boolean isClean(String script) {
        String make =
                "rm -rf up work; git init -q up; git -C up -c user.name=a -c user.email=a@b.c";
        sh(directory, make + " commit -q --allow-empty -m 1; git clone -q up work").run().ok();
        Path work = directory.resolve("work");
        sh(work, "git config user.name a; git config user.email a@b.c; " + script).run().ok();
        return sh(work, ClonedWorkspace.EXAMINE).run().out().contains("clean");
    }

    @Test
    void isCleanOnlyWhenUpstreamHasEverything() {
        assertThat(isClean("true")).isTrue();
        assertThat(isClean("git config status.showUntrackedFiles no; touch f")).isFalse();
        assertThat(isClean("git commit -q --allow-empty -m 2")).isFalse();
        assertThat(isClean("git checkout -q --detach; git commit -q --allow-empty -m 2")).isFalse();
        assertThat(isClean("touch f; git add f; git stash -q")).isFalse();
    }
}
