package dev.sallyport.cli;

import static java.nio.file.attribute.PosixFilePermission.GROUP_READ;
import static java.nio.file.attribute.PosixFilePermission.OTHERS_READ;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.workspace.Aside;
import dev.sallyport.workspace.HostGit;
import dev.sallyport.workspace.TriggerFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Whether the git of this machine runs what somebody planted in a workspace (I7, I13): it does
/// when that is left in place, and does not when it was moved aside.
class HostGitTest {
    @TempDir Path directory;
    private Path workspace;
    private PersonsGit git;

    @BeforeEach
    void prepare() throws IOException {
        git = new PersonsGit(directory);
        workspace = git.workspace;
    }

    @ParameterizedTest
    @EnumSource
    void i13GitRunsWhatIsKeptAndNotWhatWasMovedAside(Plant plant) throws IOException {
        assertThat(git.after(true, plant.before, plant.planted))
                .contains("CHANGED IN THE SANDBOX")
                .doesNotContain("MOVED");
        assertThat(git.runs(plant.used)).as("left in place").isTrue();

        String told = git.after(false, plant.before, plant.planted);
        assertThat(told).contains("MOVED ASIDE").doesNotContain("NOT MOVED");
        assertThat(git.runs(plant.used)).as("moved aside").isFalse();

        String back =
                told.lines()
                        .filter(line -> line.contains("mv -T "))
                        .map(line -> line.substring(line.indexOf("mv -T ")))
                        .collect(Collectors.joining("\n"));
        git.sh(workspace, back).ok();
        assertThat(git.runs(plant.used)).as("brought back").isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void i13GitRunsWhatASettingSaysOnlyWhereItIsLeft(PlantedSetting setting) throws IOException {
        for (boolean keep : new boolean[] {true, false}) {
            assertThat(git.after(keep, setting.before, setting.planted))
                    .doesNotContain("NOT MOVED");
            assertThat(git.runs(setting.used)).as("left in place: " + keep).isEqualTo(keep);
        }
    }

    /// Nothing is left to be continued then, so nothing is brought back.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "git checkout -q -b side; echo s >s; git add s; git commit -q -m s; git checkout -q main; echo 2 >a; git commit -qam 2; git checkout -q side | GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i main; mkdir git-merge-x; echo x/../evil.sh >.git/rebase-merge/strategy | git rebase --continue",
                "git checkout -q -b side; for i in 1 2; do echo $i >s; git add s; git commit -q -m $i; done; git checkout -q main; echo x >s; git add s; git commit -qm x | git cherry-pick side~1 side >/dev/null 2>&1; mkdir git-merge-x; printf '[options] strategy = x/../evil.sh\\n' >.git/sequencer/opts | git add s; git -c core.editor=true cherry-pick --continue"
            },
            quoteCharacter = '`')
    void i13AStrategyThatIsAProgramIsMovedAside(String before, String planted, String used)
            throws IOException {
        for (boolean keep : new boolean[] {true, false}) {
            assertThat(git.after(keep, before, planted)).contains(keep ? "CHANGED" : "MOVED ASIDE");
            assertThat(git.runs(used)).as("left in place: " + keep).isEqualTo(keep);
        }
    }

    /// Neither ends the comparison, nor takes longer than a person waits.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "mkdir -p $HOMES/s; mv .git $HOMES/s/g; echo \"gitdir: $HOMES/s/g\" >.git; printf '[include]\\n\\tpath = a\\0b\\n[core]\\n\\tfsmonitor = %s\\n' $E >>$HOMES/s/g/config",
                "mkdir s; { printf 'gitdir: '; head -c 900000 /dev/zero | tr '\\0' '\\n'; printf x; } >s/.git; git config core.fsmonitor $E",
                "mkdir .git/sequencer; { printf a; head -c 900000 /dev/zero | tr '\\0' ' '; printf b; } >.git/sequencer/opts; git config core.fsmonitor $E",
                "mkdir s; { printf 'gitdir: '; yes a/ | head -150000 | tr -d '\\n'; yes ../ | head -150000 | tr -d '\\n'; } >s/.git; git config core.fsmonitor $E"
            })
    void i13FilesThatNobodyWritesAreNotInTheWay(String planted) throws IOException {
        assertThat(git.after(false, "", planted))
                .contains("MOVED ASIDE")
                .doesNotContain("NOT MOVED");
        assertThat(git.runs("git status")).isFalse();
    }

    /// The workspace is a part of the work tree of a repository that no sandbox sees.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "git config core.fsmonitor work/m.sh; printf '#!/bin/sh\\n' >work/m.sh; chmod +x work/m.sh | cp ../planted m.sh | git status",
                "git config filter.f.clean $OUTSIDE; git add work/a | echo 'a filter=f' >.gitattributes; touch a | touch a; git add a",
                "git config core.hooksPath work/.husky/_; mkdir -p work/.husky/_ | cp ../planted .husky/_/pre-commit | git commit --allow-empty -m x"
            },
            quoteCharacter = '`')
    void i13WhatARepositoryAroundTheWorkspaceRunsIsMovedAside(
            String before, String planted, String used) throws IOException {
        Path real = Objects.requireNonNull(workspace.getParent());
        for (boolean keep : new boolean[] {true, false}) {
            git.start();
            git.sh(real, "rm -rf work/.git .git; git init -q .; " + before).ok();
            TriggerWatch watch = git.watch(keep);
            git.sh(workspace, planted).ok();
            watch.end();
            assertThat(git.runs(used)).as("left in place: " + keep).isEqualTo(keep);
        }
    }

    /// What agents do all day.
    @Test
    void i13OrdinaryWorkMovesNothingAndTellsNothing() throws IOException {
        String told =
                git.after(
                        false,
                        "git init -q --bare ../origin; git remote add origin ../origin; git init -q ../lib; git -C ../lib commit -q --allow-empty -m x",
                        """
                        rm evil.sh
                        git config user.name Agent; git checkout -q -b agent/x
                        echo 2 >>a; git commit -q -a -m 2; git push -q -u origin agent/x
                        git config pull.rebase true; git stash list; git tag t; git gc -q
                        git -c protocol.file.allow=always submodule -q add ../lib lib; git commit -q -m lib
                        git worktree add -q -b wt tree; git -C tree commit -q --allow-empty -m x
                        git clone -q . copy; git clone -q --bare . bare.git
                        echo '*.png binary' >.gitattributes; echo '*.bin filter=lfs diff=lfs merge=lfs -text' >>.gitattributes
                        git config filter.lfs.clean 'git-lfs clean -- %f'; git config filter.lfs.process 'git-lfs filter-process'
                        git checkout -q -b other HEAD~1; echo 3 >a; git commit -q -a -m 3; git rebase -q agent/x || true
                        mkdir src; echo x >src/Main.java
                        """);
        assertThat(told).isEmpty();
        assertThat(Files.exists(git.home().aside())).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        ".envrc, CHANGED",
        "sub/.envrc, CHANGED",
        ".git/lazygit.yml, CHANGED",
        ".hg/hgrc, CHANGED",
        ".jj/repo/config.toml, CHANGED",
        ".jj/repo/store/x, ''",
        ".vscode/tasks.json, CHANGED",
        ".idea/runConfigurations/x.xml, CHANGED",
        ".claude/settings.json, CHANGED",
        ".nvim.lua, CHANGED",
        ".git/objects/info/alternates, CHANGED",
        "package.json, Build files",
        "module/build.gradle.kts, Build files",
        ".mvn/extensions.xml, Build files",
        "src/Main.java, ''",
        "node_modules/x/package.json, ''"
    })
    void i7OfOtherFilesThePersonIsTold(String file, String said) throws IOException {
        String told =
                git.after(
                        false, "", "rm evil.sh; mkdir -p $(dirname " + file + "); echo x >" + file);
        if (said.isEmpty()) {
            assertThat(told).isEmpty();
        } else {
            assertThat(told).contains(said).contains(file).doesNotContain("MOVED");
        }
        assertThat(workspace.resolve(file)).hasContent("x");
    }

    @Test
    void packagesOfACacheDoNotHideABuildFileThatWasThere() throws IOException {
        String fetch = "for i in own $(seq 60); do mkdir -p c/$i; echo x >c/$i/Cargo.toml; done";
        assertThat(git.after(false, "mkdir -p c/own; echo 1 >c/own/Cargo.toml", fetch))
                .contains("when you build: c/own/Cargo.toml, c/**/Cargo.toml (60 files)\n");
    }

    @Test
    void aHookThatIsGoneIsMentioned() throws IOException {
        assertThat(git.after(false, "cp ../outside .git/hooks/pre-push", "rm .git/hooks/pre-push"))
                .contains("is gone: '" + workspace + "/.git/hooks/pre-push'");
    }

    @Test
    void i13EachFileThatGitWouldRunIsNamedWhetherItIsMovedOrNot() throws IOException {
        String plant = "for i in $(seq 30); do cp $E .git/hooks/h-$i; touch .vscode/$i; done";
        for (boolean keep : new boolean[] {true, false}) {
            String told = git.after(keep, "rm -rf .vscode; mkdir .vscode", plant);
            assertThat(told).contains("/.vscode/1'", "  and 10 more");
            assertThat(told.lines().filter(line -> line.contains("/.git/hooks/h-"))).hasSize(30);
        }
    }

    /// The directory on the way is replaced by a link after it was looked at.
    @Test
    void i13NothingIsMovedOutOfADirectoryThatALinkLeadsTo() throws IOException {
        git.sh(workspace, "mkdir ../precious; echo mine >../precious/config").ok();
        TriggerFiles before = TriggerFiles.of(workspace, HostGit.NONE);
        git.sh(workspace, "mv .git other; ln -s ../precious .git").ok();
        Aside aside = new Aside(Files.createDirectories(git.home().root()).resolve("store"));

        assertThat(
                        org.assertj.core.api.Assertions.catchThrowable(
                                () -> aside.take(before, Path.of(".git/config"))))
                .isInstanceOf(IOException.class);
        assertThat(workspace.resolveSibling("precious/config")).hasContent("mine");
    }

    @Test
    void i13AnotherNameOfAFileDoesNotChangeItWhereItIsNow() throws IOException {
        String told =
                git.after(false, "", "cp $E .git/hooks/pre-push; ln .git/hooks/pre-push name");
        Path moved = Path.of(told.substring(told.indexOf("mv -T '") + 7).split("'", 2)[0]);
        Files.writeString(workspace.resolve("name"), "other");
        assertThat(moved).content().contains("touch");
        assertThat(Files.isExecutable(moved)).isTrue();
    }

    @Test
    void i13TheEarlierFileIsBackWhateverElseIsMoved() throws IOException {
        String told =
                git.after(
                        false,
                        "echo true >m; git config core.fsmonitor 'sh m'; git config include.path ../m.copy",
                        "git config -f m.copy alias.x y; cat $E >m");
        assertThat(told).contains("MOVED ASIDE").doesNotContain("NOT MOVED");
        assertThat(workspace.resolve("m")).hasContent("true");
    }

    /// A credential would go to another machine, or a server write a file.
    @ParameterizedTest
    @CsvSource({
        "http.saveCookies, true",
        "http.cookieFile, c",
        "http.proxy, proxy.example",
        "http.https://a.example/.proxy, proxy.example",
        "http.proxySSLCAInfo, c",
        "http.sslVerify, false",
        "http.https://a.example/.sslVerify, 0",
        "http.sslCAInfo, c",
        "http.sslCAPath, c",
        "http.sslCert, c",
        "http.sslKey, c",
        "http.extraHeader, A: b",
        "http.emptyAuth, true",
        "http.delegation, always",
        "http.curloptResolve, a.example:443:192.0.2.1",
        "remote.origin.proxy, proxy.example"
    })
    void i13HowGitConnectsDoesNotChange(String key, String value) throws IOException {
        String told = git.after(false, "", "git config '" + key + "' '" + value + "'");
        String last = key.substring(key.lastIndexOf('.')).toLowerCase(Locale.ROOT);
        assertThat(told).contains("MOVED ASIDE", last + "'");
        assertThat(workspace.resolve(".git/config"))
                .content()
                .doesNotContainIgnoringCase(last.substring(1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "git remote set-url origin https://other.example/a/b | remote.origin.url",
                "git remote set-url origin https://host.example/other/b | remote.origin.url",
                "git remote set-url --push origin https://host.example/other/b | remote.origin.pushurl",
                "git remote add up https://other.example/a/b | remote.up.url",
                "git remote add up git@other.example:a/b | remote.up.url",
                "git remote add up 'https://other.example#@host.example/' | remote.up.url",
                "git config url.https://other.example/.insteadOf https://host.example/ | url.https://other.example/.insteadof",
                "git config branch.main.remote https://other.example/a | branch.main.remote",
                "git config branch.old.remote up | branch.old.remote",
                "git config remote.pushDefault up | remote.pushdefault",
                "git config lfs.url https://other.example/ | lfs.url",
                "git remote add up git@HOST.example:a/c | ''",
                "git config branch.new.remote origin | ''",
                "git config remote.origin.fetch x | ''",
                "git init -q new; git -C new remote add o https://other.example/ | ''"
            })
    void i7OfRemotesThatLeadElsewhereThePersonIsTold(String planted, String key)
            throws IOException {
        String before =
                "git remote add origin https://host.example/a/b; git config branch.old.remote origin";
        String told = git.after(false, before, "rm evil.sh; " + planted);
        assertThat(told)
                .isEqualTo(
                        key.isEmpty()
                                ? ""
                                : "· Remotes changed in the sandbox. They say where you fetch from and push to: '"
                                        + key
                                        + "' in .git/config\n");
    }

    @Test
    void i13AnEarlierFileIsAsOpenAsItWas() throws IOException {
        git.after(
                false,
                "cp ../outside .git/hooks/pre-push; chmod 700 .git/hooks/pre-push; chmod 600 .git/config",
                "cp $E .git/hooks/pre-push; git config core.fsmonitor $E; chmod 644 .git/config");
        for (String file : List.of("hooks/pre-push", "config")) {
            assertThat(Files.getPosixFilePermissions(workspace.resolve(".git").resolve(file)))
                    .as(file)
                    .doesNotContain(GROUP_READ, OTHERS_READ);
        }
        assertThat(workspace.resolve(".git/hooks/pre-push")).isExecutable();
        assertThat(git.runs("git status; git push")).isFalse();
    }

    /// The name of a setting has room for sentences, which are not ours.
    @Test
    void i13OfALongNameTheEndsAreShownInQuotes() throws IOException {
        String name = "filter.a)'. All is well. " + "Go on. ".repeat(100) + ".clean";
        String planted = "git config \"" + name + "\" x";
        for (boolean keep : new boolean[] {true, false}) {
            assertThat(git.after(keep, "", planted))
                    .contains("'filter.a)'\\''. All is well. Go on. ")
                    .contains("Go on. .clean'")
                    .doesNotContain("Go on. ".repeat(10));
        }
    }

    /// A process that goes on in the sandbox has the file open in a way that lets nobody else in.
    @Test
    void i13WhatCannotBeReadIsMovedAndWhatWasThereIsBack() throws IOException {
        String lease =
                "perl -e '$SIG{IO}=\"IGNORE\"; open F,\"+<\",\".git/config\"; fcntl(F,1024,1) or die; open G,\">held\"; sleep 600' >/dev/null 2>&1 & echo $! >holder; until [ -e held ]; do sleep 0.1; done";
        String told = git.after(false, "", "git config core.fsmonitor $E; " + lease);
        Command.of("kill", "-9", Files.readString(workspace.resolve("holder")).strip()).run().ok();

        assertThat(told)
                .contains("MOVED ASIDE", "can still change it", "The earlier file is back")
                .doesNotContain("NOT MOVED");
        assertThat(workspace.resolve(".git/config")).content().doesNotContain("fsmonitor");
        assertThat(git.runs("git status")).isFalse();
    }

    @Test
    void i13ThePersonIsToldThatTheStateCannotBeSaved() throws IOException {
        Files.writeString(git.home().watched(), "in the way");
        TriggerWatch watch = git.watch(false, java.util.Optional.of("s1"));
        git.said.reset();
        watch.end();
        assertThat(git.said.toString(StandardCharsets.UTF_8))
                .contains("The state of the workspace cannot be saved", "watched");
    }

    /// Also where the store is on another file system; then the file stays beside its place.
    @Test
    void i13AFileIsMovedWhereverTheStoreIs() throws IOException {
        Path shared = Files.createTempDirectory(Path.of("/dev/shm"), "aside");
        try {
            git.sh(workspace, "cp ../planted .git/hooks/pre-commit").ok();
            TriggerFiles now = TriggerFiles.of(workspace, HostGit.NONE);
            Path hook = Path.of(".git/hooks/pre-commit");
            Path moved = new Aside(shared.resolve("s")).take(now, hook).path();
            assertThat(moved).content().contains("touch");
            assertThat(workspace.resolve(hook)).doesNotExist();
            assertThat(git.runs("git commit --allow-empty -m x")).isFalse();
            assertThat(TriggerFiles.of(workspace, HostGit.NONE).found())
                    .noneSatisfy((path, _) -> assertThat(path.toString()).contains("aside"));
        } finally {
            Command.of("rm", "-r", shared.toString()).run().ok();
        }
    }
}
