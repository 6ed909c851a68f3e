package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The hook that git runs before a push, with a `git-lfs` that only notes that it was asked.
/// `LfsIT` has the real one.
class LargeFileSupportTest {
    @TempDir Path directory;

    private Path repository;

    @BeforeEach
    void make() throws IOException {
        repository = directory.resolve("work");
        program("programs/git-lfs", "#!/bin/sh\necho \"$@\" >> \"$NOTES\"\n");
        program("hooks/pre-push", LargeFileSupport.PRE_PUSH);
        sh(
                "git init -q --bare up.git; git init -q work; cd work; git remote add up ../up.git;"
                        + " git commit -q --allow-empty -m one");
    }

    private void program(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectory(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void sh(String script) {
        Command.of("/bin/sh", "-ec", "cd " + directory + "; " + script)
                .with("HOME", directory.toString())
                .with("GIT_CONFIG_NOSYSTEM", "1")
                .with("GIT_AUTHOR_NAME", "a")
                .with("GIT_AUTHOR_EMAIL", "a@test.example")
                .with("GIT_COMMITTER_NAME", "a")
                .with("GIT_COMMITTER_EMAIL", "a@test.example")
                .with("PATH", directory.resolve("programs") + ":" + System.getenv("PATH"))
                .with("NOTES", directory.resolve("notes").toString())
                .run()
                .ok();
    }

    private boolean asksGitLfs(String place) throws IOException {
        Path notes = directory.resolve("notes");
        Files.deleteIfExists(notes);
        sh("cd " + place + "; git -c core.hooksPath=" + directory + "/hooks push -q -f up HEAD:x");
        return Files.exists(notes) && Files.readString(notes).startsWith("pre-push up ");
    }

    @Test
    void isNotAskedWhereNothingIsOfLfs() throws IOException {
        sh("cd work; mkdir below; git worktree add -q ../tree");
        assertThat(asksGitLfs("work/below")).isFalse();
        assertThat(asksGitLfs("tree")).isFalse();
    }

    @Test
    void isAskedWhereObjectsAreStored() throws IOException {
        sh("cd work; mkdir -p below .git/lfs/objects; git worktree add -q ../tree");
        assertThat(asksGitLfs("work/below")).isTrue();
        assertThat(asksGitLfs("tree")).isTrue();
    }

    @Test
    void isAskedWhereTheAttributesNameTheFilter() throws IOException {
        Files.writeString(
                repository.resolve(".gitattributes"), "*.bin filter=lfs diff=lfs -text\n");
        assertThat(asksGitLfs("work")).isTrue();
    }

    @Test
    void isAskedWhereObjectsMayBeElsewhere() throws IOException {
        sh("git -C work config lfs.storage /elsewhere; git clone -q -o up --shared up.git shared");
        assertThat(asksGitLfs("work")).isTrue();
        sh("git -C shared commit -q --allow-empty -m two");
        assertThat(asksGitLfs("shared")).isTrue();
    }

    /// The directory of a bare repository is not below the place where the hook runs.
    @Test
    void looksWhereGitSaysThatTheRepositoryIs() throws IOException {
        sh("git init -q --separate-git-dir elsewhere apart; cd apart; git remote add up ../up.git");
        sh(
                "cd apart; git commit -q --allow-empty -m one; git clone -q -o up --bare ../work ../bare");
        assertThat(asksGitLfs("apart")).isFalse();
        assertThat(asksGitLfs("bare")).isFalse();
        sh("mkdir -p elsewhere/lfs/objects bare/lfs/objects");
        assertThat(asksGitLfs("apart")).isTrue();
        assertThat(asksGitLfs("bare")).isTrue();
    }
}
