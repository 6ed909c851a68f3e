package dev.sallyport.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What of git's configuration counts (I7). `HostGitTest` has what the git of this machine shows.
class GitDangerTest {
    private static final Path WORK = Path.of("/work");

    private static boolean isDanger(String written) throws Exception {
        List<GitConfigText.Entry> entries =
                GitConfigText.parse("[" + written.replaceFirst("]", "]\n"));
        return GitDanger.of(entries.getFirst(), WORK.resolve(".git/config"), WORK).isPresent();
    }

    /// Of other versions of git, or of what comes in other packages.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "attr] tree = x",
                "gc] recentObjectsHook = x",
                "guitool \"x\"] cmd = x",
                "hook \"x\"] command = x",
                "init] templateDir = x",
                "instaweb] httpd = x",
                "instaweb] modulePath = x",
                "lfs \"customtransfer.x\"] path = x",
                "lfs \"extension.x\"] clean = x",
                "lfs \"extension.x\"] smudge = x",
                "sendemail] sendmailCmd = x",
                "sendemail \"x\"] smtpServer = x",
                "sendemail] smtpServerOption = x",
                "sendemail] toCmd = x",
                "sendemail] ccCmd = x",
                "sendemail] headerCmd = x",
                "svn] authorsProg = x",
                "svn] configDir = x",
                "uploadpack] packObjectsHook = x"
            })
    void i7AProgramCounts(String written) throws Exception {
        assertThat(isDanger(written)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "alias] x = grep -O./m x",
                "remotes] x = --upload-pack=x origin",
                "remotes] x = origin --upload-pack=x",
                "remotes] x = \"origin\\n--upload-pack=x\"",
                "remote \"x\"] url = \"ext::sh -c\\nx\"",
                "http] saveCookies = true",
                "include] path = ~/x",
                "include] path = a",
                "core] worktree = ~/x",
                "core] worktree = ../..",
                "core] fsmonitor = on"
            })
    void i7WhatHasTheSameEffectCounts(String written) throws Exception {
        assertThat(isDanger(written)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "core] fsmonitor = False",
                "core] fsmonitor = no",
                "core] fsmonitor = OFF",
                "core] fsmonitor = 0",
                "core] fsmonitor =",
                "core] worktree = ../sub",
                "core \"x\"] pager = x",
                "pager] log = false",
                "alias] l = log --oneline",
                "rebase] instructionFormat = s",
                "remotes] x = a b-c",
                "remote \"x\"] url = https://host.example/a",
                "submodule \"x\"] update = rebase",
                "diff] tool = vimdiff",
                "diff \"x\"] tool = a/b",
                "http] saveCookies = no",
                "filter \"lfs\"] smudge = git-lfs smudge --skip -- %f",
                "filter \"lfs\"] process = git-lfs filter-process",
                "url \"https://host.example/\"] insteadOf = x"
            })
    void anOrdinarySettingDoesNot(String written) throws Exception {
        assertThat(isDanger(written)).isFalse();
    }
}
