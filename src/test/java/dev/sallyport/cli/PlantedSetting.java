package dev.sallyport.cli;

/// As [Plant], of settings: what names a program for git, and what only changes where it looks.
enum PlantedSetting {
    SSH("", "git config core.sshCommand $E", "git fetch ssh://127.0.0.1:1/x"),
    PAGER("", "git config core.pager $E", "PAGER=cat script -qc 'git log' /dev/null"),
    PAGER_OF_A_COMMAND("", "git config pager.log $E", "PAGER=cat script -qc 'git log' /dev/null"),
    EDITOR("", "git config core.editor $E", "VISUAL=false git commit --allow-empty"),
    EDITOR_OF_A_REBASE("", "git config sequence.editor $E", "VISUAL=false git rebase -i --root"),
    ASK_PASS(
            "",
            "git config core.askPass $E",
            "echo url=https://host.example | GIT_TERMINAL_PROMPT=0 git credential fill"),
    PROXY("", "git config core.gitProxy $E", "git fetch git://127.0.0.1:1/x"),
    CREDENTIAL(
            "",
            "git config credential.helper $E",
            "echo url=https://host.example | GIT_TERMINAL_PROMPT=0 git credential fill"),
    CREDENTIAL_OF_A_HOST(
            "",
            "git config credential.https://host.example.helper $E",
            "echo url=https://host.example | GIT_TERMINAL_PROMPT=0 git credential fill"),
    REFS_OF_A_LENDER(
            "git clone -q --bare . ../lender; echo $PWD/../lender/objects >.git/objects/info/alternates",
            "git config core.alternateRefsCommand $E",
            "git fetch ../lender"),
    ATTRIBUTES_FILE(
            "git config filter.f.clean $OUTSIDE",
            "echo 'a filter=f' >at; git config core.attributesFile $PWD/at",
            "touch a; git add a"),
    FILTER(
            "echo 'a filter=f' >.gitattributes",
            "git config filter.f.clean $E",
            "touch a; git add a"),
    FILTER_BACK(
            "echo 'a filter=f' >.gitattributes",
            "git config filter.f.smudge $E",
            "rm a; git checkout a"),
    FILTER_THAT_STAYS(
            "echo 'a filter=f' >.gitattributes",
            "git config filter.f.process $E",
            "rm a; git checkout a"),
    FILTER_OF_LFS_AND_MORE(
            "echo 'a filter=lfs' >.gitattributes",
            "git config filter.lfs.clean \"git-lfs clean -- %f; $E\"",
            "touch a; git add a"),
    DIFF("", "git config diff.external $E", "echo 2 >a; git diff"),
    DIFF_OF_A_KIND(
            "echo 'a diff=d' >.gitattributes",
            "git config diff.d.command $E",
            "echo 2 >a; git diff"),
    DIFF_TOOL("", "git config difftool.t.cmd $E", "echo 2 >a; git difftool -y -t t"),
    DIFF_TOOL_BY_PATH(
            "", "git config difftool.ecmerge.path $E", "echo 2 >a; git difftool -y -t ecmerge"),
    DIFF_TOOL_WITH_WINDOWS(
            "", "git config diff.guitool ../../../../../../$E", "echo 2 >a; git difftool -y -g"),
    DIFF_OF_A_CHOICE(
            "",
            "git config interactive.diffFilter $E",
            "echo 2 >a; echo q | TERM=xterm script -qc 'git add -p' /dev/null"),
    MERGE(
            "echo 'a merge=m' >.gitattributes; " + Sub.FORK,
            "git config merge.m.driver $E",
            "git merge side"),
    MERGE_TOOL(
            Sub.FORK,
            "git config mergetool.t.cmd $E",
            "git reset -q --hard; git merge side; git mergetool -y -t t"),
    MERGE_TOOL_BY_PATH(
            Sub.FORK,
            "git config mergetool.ecmerge.path $E",
            "git reset -q --hard; git merge side; git mergetool -y -t ecmerge"),
    MERGE_TOOL_BY_NAME(
            Sub.FORK,
            "git config merge.tool ../../../../../../$E",
            "git reset -q --hard; git merge side; git mergetool -y"),
    MAIL(
            "git config imap.folder x; git config imap.host imap://127.0.0.1:1",
            "git config imap.tunnel $E",
            "git format-patch -q --stdout --root | git imap-send"),
    SIGN(
            "git config --global gpg.program false",
            "git config gpg.program $E",
            "git commit -S --allow-empty -m x"),
    SIGN_BY_SSH(
            "git config --global gpg.format ssh; git config --global gpg.ssh.program false; git config user.signingKey a",
            "git config gpg.ssh.program $E",
            "git commit -S --allow-empty -m x"),
    SIGN_WITH_A_KEY(
            "git config --global gpg.format ssh; git config --global gpg.ssh.defaultKeyCommand false",
            "git config gpg.ssh.defaultKeyCommand $E",
            "git commit -S --allow-empty -m x"),
    PUSH(Sub.REMOTE, "git config remote.origin.receivepack $E", "git push origin main"),
    FETCH(Sub.REMOTE, "git config remote.origin.uploadpack $E", "git fetch origin"),
    REMOTE_OF_A_KIND(
            Sub.REMOTE,
            "mkdir git-remote-x; git config remote.origin.vcs x/../evil.sh",
            "git fetch origin"),
    ARCHIVE("", "git config tar.x.command $E", "git archive --format=x HEAD"),
    TRAILER("", "git config trailer.t.cmd $E", "echo | git interpret-trailers --trailer t=1"),
    TRAILER_OF_OLD(
            "", "git config trailer.t.command $E", "echo | git interpret-trailers --trailer t=1"),
    MANUAL("git config --global man.viewer x", "git config man.x.cmd $E", "git help -m git"),
    MANUAL_BY_PATH("", "git config man.man.path $E", "git help -m git"),
    BROWSER("", "git config browser.x.cmd $E", "git web--browse -b x a"),
    BROWSER_BY_PATH("", "git config browser.w3m.path $E", "git web--browse -b w3m a"),
    ALIAS("", "git config alias.st \"!$E\"", "git st"),
    SUBMODULE(
            "git init -q ../lib; git -C ../lib commit -q --allow-empty -m x; git config --global protocol.file.allow always; git submodule -q add ../lib lib; git commit -qm x; git -C lib commit -q --allow-empty -m y",
            "git config submodule.lib.update \"!$E\"",
            "git submodule update"),
    SUBMODULE_OF_A_KIND(
            "git init -q ../lib; git -C ../lib commit -q --allow-empty -m x; git config --global protocol.file.allow always; git config --global protocol.ext.allow always; git submodule -q add ../lib lib; git commit -qm x; rm -rf lib .git/modules",
            "git config submodule.lib.url ext::$E",
            "git submodule update --init"),
    SUBMODULE_OF_A_KIND_THAT_IS_NEW(
            "git config --global protocol.ext.allow always",
            "git init -q lib; git -C lib commit -q --allow-empty -m x; git add lib; git commit -qm x; rm -rf lib; git config -f .gitmodules submodule.lib.path lib; git config -f .gitmodules submodule.lib.url ext::$E",
            "git submodule update --init"),
    INSTRUCTIONS(
            "",
            "git config rebase.instructionFormat \"%s%nexec $E\"",
            "GIT_SEQUENCE_EDITOR=true git rebase -i --root"),
    PROTOCOL(
            "git remote add origin \"ext::$OUTSIDE\"",
            "git config protocol.ext.allow always",
            "git fetch origin"),
    URL_OF_A_KIND(
            "git config --global protocol.ext.allow always",
            "git remote add origin \"ext::$E\"",
            "git fetch origin"),
    PUSH_URL_OF_A_KIND(
            "git config --global protocol.ext.allow always; " + Sub.REMOTE,
            "git config remote.origin.pushurl \"ext::$E\"",
            "git push origin main"),
    PUSH_URL_IN_A_HOME(
            Sub.REMOTE,
            "mkdir -p $HOMES/one; git init -q --bare $HOMES/one/r.git; cp $E $HOMES/one/r.git/hooks/pre-receive; git config remote.origin.pushurl $HOMES/one/r.git",
            "git push origin main"),
    PUSH_WITHOUT_A_NAME(
            Sub.REMOTE,
            "mkdir -p $HOMES/one; git init -q --bare $HOMES/one/r.git; cp $E $HOMES/one/r.git/hooks/pre-receive; git config remote.pushDefault $HOMES/one/r.git; git config push.default current",
            "git push"),
    PUSH_OF_A_BRANCH(
            Sub.REMOTE,
            "mkdir -p $HOMES/one; git init -q --bare $HOMES/one/r.git; cp $E $HOMES/one/r.git/hooks/pre-receive; git config branch.main.pushRemote $HOMES/one/r.git; git config push.default current",
            "git push"),
    REMOTE_OF_A_BRANCH(
            "",
            "mkdir -p $HOMES/one; git init -q --bare $HOMES/one/r.git; cp $E $HOMES/one/r.git/hooks/pre-receive; git config branch.main.remote $HOMES/one/r.git; git config push.default current",
            "git push"),
    PUSH_INSTEAD_IN_A_HOME(
            Sub.REMOTE,
            "mkdir -p $HOMES/one; git init -q --bare $HOMES/one/lender; cp $E $HOMES/one/lender/hooks/pre-receive; git config url.$HOMES/one/.pushInsteadOf ../",
            "git push origin main"),
    URL_FOR_ANOTHER(
            "git config --global protocol.ext.allow always; " + Sub.REMOTE,
            "git config url.ext::$E.insteadOf ../lender",
            "git fetch origin"),
    WORK_TREE(
            "mkdir ../lib",
            "cp evil.sh x; git add x; git commit -qm x; git config core.worktree ../../lib",
            "git reset -q --hard; ../lib/x"),
    INCLUDED_ON_A_CONDITION(
            "",
            "git config -f inc core.fsmonitor $E; git config includeIf.gitdir:**.path ../inc",
            "git status"),
    ALIAS_THAT_RUNS("git config alias.st '!sh ./m'; echo true >m", "cat evil.sh >m", "git st"),
    ALIAS_THAT_EXECUTES(
            "git config alias.up 'rebase --root --exec \"sh ./m\"'; echo true >m",
            "cat evil.sh >m",
            "git up"),
    ALIAS_FOR_A_DIFF(
            "git config alias.d 'difftool -y --extcmd ./m'; echo true >m; chmod +x m",
            "cat evil.sh >m; echo 2 >a",
            "git d"),
    ALIAS_FOR_A_DIFF_TOOL(
            "git config alias.d \"difftool -y --tool=../../../../../../$PWD/m\"; echo true >m; chmod +x m",
            "cat evil.sh >m; echo 2 >a",
            "git d"),
    ALIAS_FOR_A_PAGER(
            "git config alias.g 'grep --open-files-in-pager=./m 1'; echo true >m; chmod +x m",
            "cat evil.sh >m",
            "git g"),
    ALIAS_FOR_A_PACK(
            "git config alias.up 'ls-remote --upload-pack=./m .'; echo true >m; chmod +x m",
            "cat evil.sh >m",
            "git up"),
    ALIAS_WITH_A_SHORT_OPTION(
            "git config alias.d 'difftool -y -x ./m'; echo true >m; chmod +x m",
            "cat evil.sh >m; echo 2 >a",
            "git d"),
    ALIAS_WITH_A_SETTING(
            "git config alias.st '-c a.b=c -c core.fsmonitor=./m status'; echo true >m; chmod +x m",
            "cat evil.sh >m",
            "git st"),
    ALIAS_THAT_BEGINS_WITH_A_SETTING(
            "git config alias.st '-c core.fsmonitor=./m status'; echo true >m; chmod +x m",
            "cat evil.sh >m",
            "git st"),
    ALIAS_WITH_A_JOINED_OPTION(
            "git config alias.g 'grep -O./m 1'; echo true >m; chmod +x m",
            "cat evil.sh >m",
            "git g"),
    ALIAS_OF_TWO_LINES(
            "git config alias.d $'difftool -y\\n-x ./m'; echo true >m; chmod +x m",
            "cat evil.sh >m; echo 2 >a",
            "git d");

    final String before;
    final String planted;
    final String used;

    PlantedSetting(String before, String planted, String used) {
        this.before = before;
        this.planted = planted;
        this.used = used;
    }

    private static final class Sub {
        static final String REMOTE =
                "git init -q --bare ../lender; git remote add origin ../lender";
        static final String FORK =
                "git checkout -q -b side; echo 2 >a; git commit -qam 2; git checkout -q main; echo 3 >a; git commit -qam 3";
    }
}
