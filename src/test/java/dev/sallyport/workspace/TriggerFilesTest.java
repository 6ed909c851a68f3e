package dev.sallyport.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.OrdinaryUser;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
        return TriggerFiles.of(workspace, HostGit.NONE);
    }

    private Set<String> fresh(TriggerFiles before) {
        return before.changesTo(look()).stream()
                .map(change -> change.path().toString())
                .collect(Collectors.toSet());
    }

    /// The command line has little memory. Running out of it would end the comparison, and nothing
    /// would be moved aside.
    @Test
    void keepsLittleOfMuchAndNoticesEachChange() {
        sh(
                """
                mkdir s; head -c 1000000 /dev/zero | tr '\\0' a >s/.git
                { echo '[alias]'; seq 90000 | sed s/^/a/; } >aliases; head -c 900000 /dev/zero | tr '\\0' '#' >rest
                for i in 1 2 3 4 5 6 7 8 9 10; do
                    git init -q n/$i; cp aliases n/$i/.git/config; git init -q o/$i; cp rest o/$i/.git/config
                done""");
        TriggerFiles before = look();
        assertThat(before.found().values())
                .allSatisfy(t -> assertThat(t.marks()).allMatch(mark -> mark.length() < 5_000));
        assertThat(before.found().values().stream().mapToInt(t -> t.marks().size()).sum())
                .isLessThan(200_000);
        assertThat(
                        before.found().values().stream()
                                .flatMap(trigger -> trigger.original().stream())
                                .mapToInt(original -> original.content().length())
                                .sum())
                .isLessThan(9 << 20);

        sh("for i in 1 5 10; do echo b >>n/$i/.git/config; done; echo >>s/.git");
        assertThat(fresh(before))
                .containsExactlyInAnyOrder(
                        "n/1/.git/config", "n/5/.git/config", "n/10/.git/config", "s/.git");
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
                .isEqualTo(Optional.of(new Trigger.Original("x", true, Optional.of("rwxr-xr-x"))));
    }

    /// A clone is made inside, perhaps by the git of an image.
    @Test
    void i13WhatGitRunsInAFreshCloneIsNotThePersons() {
        sh("touch Makefile .envrc; git config remote.origin.url https://host.example/a/b");
        TriggerFiles usual = look().withoutGits();
        assertThat(fresh(usual)).isEmpty();
        assertThat(usual.at(Path.of(".git/config")).orElseThrow().original()).isPresent();
        sh("git config core.fsmonitor x; printf x >.git/hooks/pre-push");
        assertThat(fresh(look().withoutGits()))
                .containsExactlyInAnyOrder(".git/config", ".git/hooks/pre-push");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".git/rebase-merge/git-rebase-todo",
                ".git/info/attributes",
                ".gitattributes"
            })
    void i13ALinkCountsWhateverItLeadsTo(String file) {
        TriggerFiles before = look();
        sh("mkdir -p $(dirname " + file + "); ln -s " + directory + "/host/key " + file);
        assertThat(fresh(before)).containsExactly(file);
    }

    @Test
    void i13ManyOtherFilesDoNotHideTheWorkspacesOwnConfiguration() {
        sh(
                "git config core.fsmonitor x; mkdir -p d{1..4001}; touch d{1..4001}/.gitmodules; touch .gitmodules");
        assertThat(look().partial()).isTrue();
        assertFsmonitorIsSeen(look(), ".git/config");
    }

    @Test
    void i13TheWorkspacesOwnRepositoryIsLookedAtBeforeEveryLimit() {
        sh("git config core.fsmonitor x; touch {1..100}");
        TriggerFiles found = TriggerFiles.of(workspace, HostGit.NONE, 0);
        assertThat(found.partial()).isTrue();
        assertFsmonitorIsSeen(found, ".git/config");

        sh("mv .git other; echo 'gitdir: other' >.git");
        assertFsmonitorIsSeen(TriggerFiles.of(workspace, HostGit.NONE, 0), "other/config");
    }

    private static void assertFsmonitorIsSeen(TriggerFiles found, String config) {
        assertThat(found.found())
                .hasEntrySatisfying(
                        Path.of(config),
                        state -> assertThat(state.marks()).contains("core.fsmonitor = x"));
    }

    @Test
    void i7MoreBuildFilesThanAreLookedAtAreNotPassedOverInSilence() {
        sh("mkdir -p d{1..2000}; touch d{1..2000}/Makefile");
        assertThat(look().partial()).isFalse();
        sh("mkdir e; touch e/.envrc");
        assertThat(look().partial()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mkdir -p d{1..20001}; touch d{1..20001}/.gitattributes",
                "{ printf '[core]\n\tfsmonitor ='; yes ' x' | head -200001 | tr -d '\n'; } >.git/config",
                "truncate -s 40M .git/index"
            })
    void i13MoreThanThereIsRoomForIsNotPassedOverInSilence(String planted) {
        sh(planted);
        TriggerFiles found = look();
        assertThat(found.partial()).isTrue();
        assertThat(found.found()).hasSizeLessThanOrEqualTo(20_000);
    }

    @Test
    void i13ManyFilesInADirectoryOfGitsCountTogether() {
        sh("git init -q sub; touch .git/hooks/{1..1000}; mkdir .git/remotes");
        TriggerFiles before = look();
        assertThat(before.at(Path.of(".git/hooks/1"))).isPresent();
        sh("touch sub/.git/hooks/{1..1000} .git/remotes/{1..2000}");
        assertThat(fresh(before)).containsExactlyInAnyOrder("sub/.git/hooks", ".git/remotes");
    }

    /// Whoever opens it would wait for somebody who writes.
    @ParameterizedTest
    @ValueSource(
            strings = {
                ".git/index",
                ".git/config",
                ".git/commondir",
                ".git/hooks/x",
                ".git/remotes/x",
                ".gitattributes",
                "sub/.git"
            })
    @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void i13AFileThatIsNoneCountsAndIsNotWaitedFor(String file) {
        TriggerFiles before = look();
        sh("mkdir -p sub .git/remotes; rm -f " + file + "; mkfifo " + file);
        assertThat(fresh(before)).containsExactly(file);
    }

    /// Each change of it does, too.
    @ParameterizedTest
    @CsvSource({
        ".git/index, X, Y",
        ".git/config, X, Y",
        ".git/config, '[core]\n\tfsmonitor = x\\376', '[core]\n\tfsmonitor = x\\377'",
        ".git/sequencer/opts, X, Y"
    })
    void i13WhatCannotBeReadCounts(String file, String first, String second) {
        sh("mkdir .git/sequencer");
        for (String text : List.of(first, second)) {
            TriggerFiles before = look();
            sh("printf '" + text + "' >" + file);
            assertThat(fresh(before)).containsExactly(file);
        }
    }

    /// Only a newer git reads it.
    @Test
    void i13ASubmoduleAmongObjectsCounts() {
        TriggerFiles before = look();
        sh("git config submodule.x.gitdir .git/objects/x");
        assertThat(fresh(before)).containsExactly(".git/config");
    }

    @Test
    void theIndexOfAWorktreeHasTheIdsOfItsRepository() {
        sh(
                """
                git init -q --object-format=sha256 r; cd r
                git -c user.name=P -c user.email=p@a.example commit -q --allow-empty -m x
                git worktree add -q ../tree; cd ../tree; touch a; git add a""");
        assertThat(look().at(Path.of("r/.git/worktrees/tree/index")).orElseThrow().marks())
                .isEmpty();
    }

    @Test
    void i13AFileThatIsStillOpenDoesNotChangeWhereItIsNow() throws IOException {
        Path hook = Path.of(".git/hooks/pre-push");
        Files.writeString(workspace.resolve(hook), "read this");
        try (FileChannel open =
                FileChannel.open(workspace.resolve(hook), StandardOpenOption.WRITE)) {
            Path moved = new Aside(workspace.resolveSibling("store")).take(look(), hook).path();
            open.write(ByteBuffer.wrap("something else".getBytes(StandardCharsets.UTF_8)));
            assertThat(moved).hasContent("read this");
        }
        assertThat(workspace.resolve(hook)).doesNotExist();
    }

    /// What is moved has a path of its own, and the kernel takes none that is longer.
    @Test
    void i13AFileIsMovedAlsoWhereItsPathInTheStoreWouldBeTooLong() throws IOException {
        Path store = workspace.resolveSibling("s".repeat(100));
        Path shared = Files.createTempDirectory(Path.of("/dev/shm"), "aside");
        try {
            for (int length : List.of(3_900, 3_960, 3_980, 4_000, GitFiles.PATH_MAX - 1)) {
                int left = length - workspace.toString().length() - 1;
                String path = ("d".repeat(99) + "/").repeat(left / 100) + "x".repeat(left % 100);
                Path file = Path.of(path.endsWith("/") ? path + "x" : path);
                sh("mkdir -p $(dirname " + file + ")");
                Files.writeString(workspace.resolve(file), "x");

                Aside.Place place = new Aside(store).take(look(), file);
                assertThat(place.ours()).isTrue();
                assertThat(place.path()).hasContent("x");
                assertThat(workspace.resolve(file)).doesNotExist();
            }
            Path named = Files.writeString(workspace.resolve("n".repeat(250)), "x");
            Aside.Place beside = new Aside(shared.resolve("s")).take(look(), named.getFileName());
            assertThat(beside.path()).hasContent("x").hasParent(workspace);
            assertThat(beside.ours()).isFalse();
            assertThat(named).doesNotExist();
        } finally {
            Command.of("rm", "-r", shared.toString()).run().ok();
        }
    }

    @Test
    void i13AnEarlierFileThatCannotBePutBackIsKept() throws IOException {
        Aside aside = new Aside(workspace.resolveSibling("store"));
        var original = new Trigger.Original("was", true, Optional.of("rwx--x---"));
        Path hook = Path.of(".git/hooks/pre-push");
        Files.writeString(workspace.resolve(hook), "is there again");

        assertThatThrownBy(() -> aside.putBack(look(), hook, original))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(workspace.resolve(hook)).hasContent("is there again");
        Path kept = aside.keep(original);
        assertThat(kept).hasContent("was");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)))
                .isEqualTo("rwx--x---");
    }

    @Test
    void i13HooksAreSeenInADirectoryWithTheNameOfAFileThatWasMoved() {
        sh("mkdir .x.sallyport-aside-y; git config core.hooksPath .x.sallyport-aside-y");
        TriggerFiles before = look();
        sh("touch .x.sallyport-aside-y/pre-commit");
        assertThat(fresh(before)).containsExactly(".x.sallyport-aside-y/pre-commit");
    }

    /// Root lists everything.
    @Test
    void i13ADirectoryThatCannotBeListedIsLookedAtByName() {
        try (OrdinaryUser user = OrdinaryUser.create()) {
            user.runTests(Unlisted.class);
        }
    }

    /// Of an ordinary user's.
    static class Unlisted {
        @TempDir Path directory;

        @Test
        void isLookedAtByName() throws IOException {
            Path real = directory.toRealPath();
            String made = "git init -q sub; git -C sub config core.fsmonitor x; mkdir shut hidden";
            Command.of("bash", "-ec", made + "; chmod 0 shut").in(real).run().ok();
            assertThat(TriggerFiles.of(real, HostGit.NONE).partial()).isFalse();

            Command.of("bash", "-ec", "chmod 311 sub/.git hidden").in(real).run().ok();
            TriggerFiles found = TriggerFiles.of(real, HostGit.NONE);
            Command.of("chmod", "-R", "u+rwx", ".").in(real).run().ok();
            assertThat(found.partial()).isTrue();
            assertFsmonitorIsSeen(found, "sub/.git/config");
            assertThat(found.at(Path.of("hidden")).orElseThrow().kind())
                    .isEqualTo(Trigger.Kind.OPENS);
        }
    }

    @Test
    void aLargeWorkspaceIsSearchedInPartAndThatIsSaid() throws IOException {
        Path many = Files.createDirectory(workspace.resolve("many"));
        for (int i = 0; i < 200; i++) {
            Files.createFile(many.resolve("f" + i));
        }
        assertThat(TriggerFiles.of(workspace, HostGit.NONE, 100).partial()).isTrue();
        assertThat(TriggerFiles.of(workspace, HostGit.NONE).partial()).isFalse();
    }
}
