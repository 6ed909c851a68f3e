package dev.sallyport.cli;

/// Each is three scripts in a clone: what was there before, what a sandbox does, and what a person
/// does then. `$E` is a program of the sandbox's.
enum Plant {
    CONFIG("", "git config core.fsmonitor $E", "git status"),
    CONFIG_IN_AN_OLDER_SPELLING(
            "echo '* diff=d' >.gitattributes",
            "printf '[diff.d]\\n\\ttextconv = %s\\n' $E >>.git/config; echo 2 >>a",
            "git diff"),
    CONFIG_BY_A_LINK(
            "",
            "cp .git/config c; git config -f c core.fsmonitor $E; ln -sf ../c .git/config",
            "git status"),
    CONFIG_OF_A_LINK_THAT_WAS_THERE(
            "mv .git/config c; ln -s ../c .git/config",
            "git config -f c core.fsmonitor $E",
            "git status"),
    CONFIG_TOO_LARGE(
            "",
            "git config core.fsmonitor $E; head -c 2000000 /dev/zero | tr '\\0' '#' >>.git/config",
            "git status"),
    CONFIG_OF_THE_WORKTREE(
            "git config extensions.worktreeConfig true",
            "git config -f .git/config.worktree core.fsmonitor $E",
            "git status"),
    INCLUDED(
            "git config include.path ../included; touch included",
            "git config -f included core.fsmonitor $E",
            "git status"),
    INCLUDED_ANEW(
            "",
            "git config -f inc core.fsmonitor $E; git config include.path ../inc",
            "git status"),
    COMMON_DIRECTORY(
            "",
            "cp -r .git other; git config -f other/config core.fsmonitor $E; echo ../other >.git/commondir",
            "git status"),
    GIT_BECOMES_A_FILE(
            "",
            "mv .git other; git config -f other/config core.fsmonitor $E; echo 'gitdir: other' >.git",
            "git status"),
    GIT_BECOMES_A_LINK(
            "",
            "mv .git other; git config -f other/config core.fsmonitor $E; ln -s other .git",
            "git status"),
    HOOK("", "cp $E .git/hooks/pre-commit", "git commit --allow-empty -m x"),
    HOOK_ON_STATUS(
            "",
            "cp $E .git/hooks/post-index-change; touch a; sleep 1; touch a",
            "touch a; git status"),
    HOOK_CHANGED(
            "printf '#!/bin/sh\\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
            "cat $E >.git/hooks/pre-commit",
            "git commit --allow-empty -m x"),
    HOOKS_BY_A_LINK(
            "",
            "mkdir h; cp $E h/pre-commit; rm -r .git/hooks; ln -s ../h .git/hooks",
            "git commit --allow-empty -m x"),
    HOOK_THAT_IS_A_LINK(
            "printf '#!/bin/sh\\n' >check; chmod +x check; ln -s ../../check .git/hooks/pre-commit",
            "cat $E >check",
            "git commit --allow-empty -m x"),
    HUSKY(
            "git config core.hooksPath .husky/_; mkdir -p .husky/_",
            "cp $E .husky/_/pre-commit",
            "git commit --allow-empty -m x"),
    HUSKY_SCRIPT(
            "git config core.hooksPath .husky/_; mkdir -p .husky/_; echo true >.husky/pre-commit; printf '#!/bin/sh\\nsh .husky/pre-commit\\n' >.husky/_/pre-commit; chmod +x .husky/_/*",
            "echo $E >.husky/pre-commit",
            "git commit --allow-empty -m x"),
    HOOKS_OF_THE_PERSONS_CONFIG(
            "git config --global core.hooksPath .checks",
            "mkdir .checks; cp $E .checks/pre-commit",
            "git commit --allow-empty -m x"),
    PROGRAM_OF_THE_CONFIG(
            "printf '#!/bin/sh\\n' >monitor.sh; chmod +x monitor.sh; git config core.fsmonitor ./monitor.sh",
            "cat $E >monitor.sh",
            "git status"),
    NESTED_REPOSITORY(
            "", Sub.NESTED + "git -C sub config core.fsmonitor $E", "cd sub && git status"),
    NESTED_GITLINK(
            "", Sub.NESTED + "git add sub; git -C sub config core.fsmonitor $E", "git status"),
    NESTED_HOOK(
            "",
            Sub.NESTED + "cp $E sub/.git/hooks/pre-commit",
            "cd sub && git commit --allow-empty -m y"),
    NESTED_DEEP(
            "",
            Sub.NESTED
                    + "git -C sub config core.fsmonitor $E; mkdir -p node_modules/p/q; mv sub node_modules/p/q",
            "cd node_modules/p/q/sub && git status"),
    SUBMODULE(
            "git init -q ../lib; git -C ../lib commit -q --allow-empty -m x; git -c protocol.file.allow=always submodule -q add ../lib lib",
            "git config -f .git/modules/lib/config core.fsmonitor $E",
            "git status"),
    SUBMODULE_TURNED(
            "git init -q ../lib; git -C ../lib commit -q --allow-empty -m x; git -c protocol.file.allow=always submodule -q add ../lib lib",
            "cp -r .git/modules/lib other; git config -f other/config core.worktree ../lib; git config -f other/config core.fsmonitor $E; echo 'gitdir: ../other' >lib/.git",
            "git status"),
    STORED_AMONG_OBJECTS(
            "",
            Sub.NESTED
                    + "git add sub; mv sub/.git .git/objects/other; git config -f .git/objects/other/config core.fsmonitor $E; echo 'gitdir: ../.git/objects/other' >sub/.git",
            "git status"),
    WORKTREE(
            "git worktree add -q tree; git config extensions.worktreeConfig true",
            "git config -f .git/worktrees/tree/config.worktree core.fsmonitor $E",
            "cd tree && git status"),
    BARE_LOOK_ALIKE(
            "",
            "git clone -q --bare . look; git config -f look/config core.bare false; git config -f look/config core.worktree $PWD; git config -f look/config core.fsmonitor $E",
            "cd look && git status"),
    ATTRIBUTES(
            "git config filter.f.clean 'sh tool.sh'; echo true >tool.sh",
            "echo $E >tool.sh; echo '* filter=f' >.gitattributes; touch a",
            "touch a; git status"),
    ATTRIBUTES_OF_A_DRIVER_OUTSIDE(
            "git config filter.f.clean $OUTSIDE",
            "echo 'a filter=f' >.gitattributes",
            "touch a; git status"),
    ATTRIBUTES_OF_A_DRIVER_WITHOUT_A_NAME(
            "printf '[filter \"\"]\\n\\tclean = %s\\n' $OUTSIDE >>.git/config",
            "echo 'a filter=' >.gitattributes", "touch a; git status"),
    DRIVER_WITHOUT_A_NAME(
            "echo 'a diff=' >.gitattributes",
            "printf '[diff \"\"]\\n\\ttextconv = %s\\n' $E >>.git/config; echo 2 >>a",
            "git diff"),
    ATTRIBUTES_BY_A_MACRO(
            "git config filter.f.clean $OUTSIDE; echo '[attr]m filter=f' >.gitattributes",
            "echo 'a m' >>.gitattributes",
            "touch a; git status"),
    ATTRIBUTES_OF_THE_REPOSITORY(
            "git config filter.f.clean $OUTSIDE",
            "echo '* filter=f' >.git/info/attributes",
            "touch a; git status"),
    REBASE(
            "",
            "mkdir .git/rebase-merge; cd .git/rebase-merge; echo refs/heads/main >head-name; git rev-parse HEAD >orig-head; cp orig-head onto; touch interactive done; echo exec $E >git-rebase-todo",
            "git rebase --continue"),
    REBASE_IN_A_SHORT_WORD(
            "",
            "mkdir .git/rebase-merge; cd .git/rebase-merge; echo refs/heads/main >head-name; git rev-parse HEAD >orig-head; cp orig-head onto; touch interactive done; printf ' x\\t%s\\n' $E >git-rebase-todo",
            "git rebase --continue"),
    COMMON_DIRECTORY_IN_A_HOME(
            "",
            "mkdir -p $HOMES; cp -r .git $HOMES/g; git config -f $HOMES/g/config core.fsmonitor $E; echo $HOMES/g >.git/commondir",
            "git status"),
    ALTERNATES(
            "git config core.alternateRefsCommand $OUTSIDE; git clone -q . ../lender",
            "git clone -q . lender; echo $PWD/lender/.git/objects >.git/objects/info/alternates",
            "git fetch ../lender"),
    NESTED_BELOW_WHAT_LOOKS_LIKE_A_STORE(
            "",
            "mkdir refs objects; touch HEAD; "
                    + Sub.NESTED
                    + "mv sub objects; git add objects/sub; git -C objects/sub config core.fsmonitor $E",
            "git status"),
    NESTED_BEHIND_A_NAME_WITH_A_BLANK(
            "",
            Sub.NESTED
                    + "git add sub; mv sub/.git ../lender; git config -f ../lender/config core.fsmonitor $E; ln -s ../../lender 'sub/l '; echo 'gitdir: l ' >sub/.git",
            "git status"),
    NESTED_BEHIND_A_NAME_THAT_IS_NOT_UTF_8(
            "",
            Sub.NESTED
                    + "git add sub; mv sub/.git ../lender; git config -f ../lender/config core.fsmonitor $E; ln -s ../../lender $'sub/l\\xff'; mkdir $'sub/l\\xef\\xbf\\xbd'; printf 'gitdir: l\\xff\\n' >sub/.git",
            "git status"),
    COMMON_DIRECTORY_WITH_A_BLANK(
            "git worktree add -q tree",
            "cp -r .git other; git config -f other/config core.fsmonitor $E; mkdir -p '.git/worktrees/.. '; mv other/* '.git/worktrees/.. '; echo '../.. ' >.git/worktrees/tree/commondir",
            "cd tree && git status"),
    HOOKS_OF_A_CONFIG_THAT_THE_PERSONS_INCLUDES(
            "git config --global include.path more; git config -f ~/more core.hooksPath .checks",
            "mkdir .checks; cp $E .checks/pre-commit",
            "git commit --allow-empty -m x"),
    REMOTE_IN_A_HOME(
            "",
            "mkdir -p $HOMES/one; git init -q --bare $HOMES/one/r.git; cp $E $HOMES/one/r.git/hooks/pre-receive; git remote add origin $HOMES/one/r.git",
            "git push origin main"),
    REMOTE_OF_THE_OLD_FORM(
            "",
            "mkdir -p $HOMES/one .git/remotes; git init -q --bare $HOMES/one/r.git; cp $E $HOMES/one/r.git/hooks/pre-receive; printf 'URL: %s\\nPush: refs/heads/main\\n' $HOMES/one/r.git >.git/remotes/up",
            "git push up"),
    REMOTE_OF_THE_OLDEST_FORM(
            "",
            "mkdir -p $HOMES/one .git/branches; git init -q --bare $HOMES/one/r.git; cp $E $HOMES/one/r.git/hooks/pre-receive; echo $HOMES/one/r.git >.git/branches/up",
            "git push up main"),
    URL_THAT_STANDS_FOR_A_HOME(
            "git remote add origin https://host.example/acme/app",
            "mkdir -p $HOMES/one; git init -q --bare $HOMES/one/app; cp $E $HOMES/one/app/hooks/pre-receive; git config url.$HOMES/one/.insteadOf https://host.example/acme/",
            "git push origin main"),
    ALIAS("", "git config alias.st \"-c core.fsmonitor=$E status\"", "git st"),
    ALIAS_FOR_ANOTHER_COMMAND("", "git config alias.up \"ls-remote --upload-p=$E .\"", "git up"),
    ATTRIBUTES_BEHIND_A_LINK_THAT_WAS_THERE(
            "git config filter.f.clean $OUTSIDE; rm -rf .git/info; mkdir shared; ln -s ../shared .git/info",
            "echo 'a filter=f' >shared/attributes",
            "touch a; git status"),
    REMOTE_AMONG_OBJECTS_BY_A_TAB(
            "",
            "git init -q 'x y'; git init -q --bare 'x y/.git/objects/evil.git'; cp $E 'x y/.git/objects/evil.git/hooks/pre-receive'; printf '[remote \"o\"]\\n\\turl = x\\ty/.git/objects/evil.git\\n' >>.git/config",
            "git push o HEAD:refs/heads/x"),
    REMOTE_AMONG_OBJECTS(
            "",
            "git init -q --bare .git/objects/evil.git; cp $E .git/objects/evil.git/hooks/pre-receive; git remote add origin .git/objects/evil.git",
            "git push origin main"),
    REMOTE_IN_A_HOME_WRITTEN_AS_A_URL(
            "",
            "mkdir -p $HOMES/one; git init -q --bare $HOMES/one/r.git; cp $E $HOMES/one/r.git/hooks/pre-receive; git remote add origin file://${HOMES%s}%73/one/r.git",
            "git push origin main"),
    REMOTE_IN_A_HOME_WITHOUT_ITS_SUFFIX(
            "",
            "mkdir -p $HOMES/one; git init -q --bare $HOMES/one/r.git; cp $E $HOMES/one/r.git/hooks/pre-receive; git remote add origin /proc/self/root/$HOMES/one/r",
            "git push origin main"),
    URL_THAT_STANDS_FOR_ANY_PATH(
            "",
            "mkdir -p $HOMES/one; git init -q --bare $HOMES/one/r.git; cp $E $HOMES/one/r.git/hooks/pre-receive; git config url./.insteadOf zz:; git remote add origin zz:${HOMES#/}/one/r.git",
            "git push origin main"),
    REMOTES_BY_A_LINK(
            "",
            "mkdir -p $HOMES/one r; git init -q --bare $HOMES/one/r.git; cp $E $HOMES/one/r.git/hooks/pre-receive; echo URL: $HOMES/one/r.git >r/up; rm -rf .git/remotes; ln -s ../r .git/remotes",
            "git push up main"),
    TOOL("", "git config diff.tool ../../../../../../$E; echo 2 >>a", "git difftool -y"),
    LINK_INTO_A_HOME(
            "",
            Sub.NESTED
                    + "mkdir -p $HOMES/one; git -C sub config core.fsmonitor $E; mv sub $HOMES/one/r; ln -s $HOMES/one/r sub",
            "cd sub && git status"),
    CONFIG_WITH_A_NUL_IN_A_NAME(
            "", "printf '[core \"fsmonitor\\0\"]\\n\\tx = %s\\n' $E >>.git/config", "git status"),
    REMOTE_IN_A_HOME_BEFORE_A_NUL(
            "",
            "mkdir -p $HOMES/one; git init -q --bare $HOMES/one/r.git; cp $E $HOMES/one/r.git/hooks/pre-receive; printf '[remote \"origin\"]\\n\\turl = %s\\0x\\n' $HOMES/one/r.git >>.git/config",
            "git push origin main"),
    HOOKS_BEHIND_A_NAME_THAT_BEGINS_WITH_A_BLANK(
            "git config core.hooksPath .checks",
            "mkdir ' .checks'; cp $E ' .checks/pre-commit'; git config core.hooksPath ' .checks'",
            "git commit --allow-empty -m x"),
    HOOKS_BEHIND_A_NAME_THAT_ENDS_WITH_A_FORM_FEED(
            "git config core.hooksPath .checks",
            "mkdir $'.checks\\f'; cp $E $'.checks\\f/pre-commit'; git config core.hooksPath $'.checks\\f'",
            "git commit --allow-empty -m x"),
    LINK_TO_WHAT_IS_STORED_AMONG_OBJECTS(
            "",
            "git init -q .git/objects/r; git -C .git/objects/r config core.fsmonitor $E; ln -s .git/objects/r sub",
            "cd sub && git status"),
    URL_THAT_BEGINS_A_LOCAL_ONE(
            "",
            "mkdir -p $HOMES/one; git init -q --bare $HOMES/one/r.git; cp $E $HOMES/one/r.git/hooks/pre-receive; git config url.file:.insteadOf zz; git remote add origin zz//$HOMES/one/r.git",
            "git push origin main"),
    REMOTE_THAT_IS_AN_OPTION(
            "git init -q --bare ../lender; git remote add origin ../lender",
            "git config remote.--upload-pack=$E.url ../lender",
            "git fetch --all"),
    REMOTE_OF_A_GROUP_THAT_IS_AN_OPTION(
            "git init -q --bare ../lender; git remote add origin ../lender",
            "git config remotes.default \"origin --upload-pack=$E\"",
            "git remote update"),
    LAYOUT_OF_A_TOOL(
            "git config --global merge.tool vimdiff; git config --global mergetool.vimdiff.path /bin/true; git checkout -q -b side; echo 2 >a; git commit -qam 2; git checkout -q main; echo 3 >a; git commit -qam 3",
            "git config mergetool.vimdiff.layout '`sh<evil.sh`'",
            "git reset -q --hard; git merge side; git mergetool -y"),
    PROGRAM_OF_THE_CONFIG_WITHOUT_A_SLASH(
            "echo true >monitor; git config core.fsmonitor 'sh monitor'",
            "cat $E >monitor",
            "git status"),
    PROGRAM_OF_THE_CONFIG_IN_A_VARIABLE(
            "echo true >m; git config core.fsmonitor 'M=./m; sh $M'", "cat $E >m", "git status"),
    SCRIPT_OF_A_HOOK_NAMED_LIKE_ONE_THAT_IS_IDLE(
            Sub.RUNS_ALL, "cp $E .git/hooks/d/x.sample", "git commit --allow-empty -m x"),
    SCRIPT_OF_A_HOOK_NAMED_LIKE_ONE_THAT_WAS_MOVED(
            Sub.RUNS_ALL,
            "cp $E .git/hooks/d/x.sallyport-aside-y",
            "git commit --allow-empty -m x"),
    INDEX(
            "",
            Sub.INDEX + "sed -i s,-git/hooks,.git/hooks, .git/index",
            "git checkout -q .; git commit --allow-empty -m x"),
    INDEX_WITH_SHORTENED_NAMES(
            "git update-index --index-version 4",
            Sub.INDEX + "sed -i s,-git/hooks,.git/hooks, .git/index",
            "git checkout -q .; git commit --allow-empty -m x"),
    INDEX_IN_TWO_PARTS(
            "",
            Sub.INDEX
                    + "git update-index --split-index; sed -i s,-git/hooks,.git/hooks, .git/sharedindex.*",
            "git checkout -q .; git commit --allow-empty -m x"),
    INDEX_WITH_LONG_IDS(
            "rm -rf .git; git init -q --object-format=sha256; git add a; git commit -q -m 1",
            Sub.INDEX + "sed -i s,-git/hooks,.git/hooks, .git/index",
            "git checkout -q .; git commit --allow-empty -m x"),
    INDEX_THAT_LEADS_OUT(
            "",
            "B=$(git hash-object -w evil.sh); git update-index --add --cacheinfo 100755,$B,--/lib/x; sed -i s,--/lib/x,../lib/x, .git/index",
            "git checkout -q .; ../lib/x; rm -r ../lib"),
    INDEX_WITH_A_PATH_FROM_THE_ROOT(
            "",
            "X=$(dirname $PWD)/lib/x; git update-index --add --cacheinfo 100755,$(git hash-object -w evil.sh),-${X#/}; sed -i s,-${X#/},$X, .git/index",
            "git checkout -q .; ../lib/x; rm -r ../lib"),
    INDEX_WITH_A_NUL(
            "",
            Sub.NESTED
                    + "mkdir -p $HOMES; git -C sub config core.fsmonitor $E; mv sub/.git $HOMES/g; git update-index --add --cacheinfo 100644,$(echo gitdir: $HOMES/g | git hash-object -w --stdin),sub/-gitx; sed -i 's,sub/-gitx,sub/.git\\x00,' .git/index",
            "git checkout -q .; git -C sub status; rm sub/.git"),
    HOOKS_BEHIND_A_LINK_THAT_LEADS_OUT(
            Sub.OUTSIDE + "mkdir -p .husky/_; git config core.hooksPath .husky/_",
            "rm -r .husky; ln -s ../lib .husky",
            "git commit --allow-empty -m x"),
    ATTRIBUTES_BEHIND_A_LINK_THAT_LEADS_OUT(
            "git config filter.f.clean $OUTSIDE; mkdir ../lib; echo 'a filter=f' >../lib/attributes",
            "rm -rf .git/info; ln -s ../../lib .git/info",
            "touch a; git status"),
    INCLUDED_BEHIND_A_LINK_THAT_LEADS_OUT(
            Sub.OUTSIDE + "mkdir conf; git config include.path ../conf/c",
            "rm -r conf; ln -s ../lib conf",
            "git status"),
    BRANCH_OF_ANOTHER_TRANSPORT(Sub.EXT, "git config branch.main.remote ext::$E", "git fetch"),
    PUSHES_OF_ANOTHER_TRANSPORT(
            Sub.EXT, "git config remote.pushDefault ext::$E", "git -c push.default=current push"),
    URL_THAT_BEGINS_ONE_OF_ANOTHER_TRANSPORT(
            Sub.EXT,
            "git config url.ext:.insteadOf zz; git config remote.o.url zz:$E",
            "git fetch o"),
    URL_THAT_STANDS_FOR_NOTHING(
            Sub.EXT,
            "printf '[url \"\"]\n\tinsteadOf = z/\n[remote \"o\"]\n\turl = z/ext::%s\n' $E >>.git/config",
            "git fetch o"),
    PATH_THAT_STANDS_FOR_NOTHING(
            "",
            "mkdir -p $HOMES/one; git init -q --bare $HOMES/one/r.git; cp $E $HOMES/one/r.git/hooks/pre-receive; printf '[url \"\"]\n\tinsteadOf = z/\n[remote \"o\"]\n\turl = z/%s\n' $HOMES/one/r.git >>.git/config",
            "git push o main");

    final String before;
    final String planted;
    final String used;

    Plant(String before, String planted, String used) {
        this.before = before;
        this.planted = planted;
        this.used = used;
    }

    private static final class Sub {
        static final String EXT = "git config --global protocol.ext.allow always";
        static final String NESTED = "git init -q sub; git -C sub commit -q --allow-empty -m x; ";
        static final String INDEX =
                "git update-index --add --cacheinfo 100755,$(git hash-object -w evil.sh),-git/hooks/pre-commit; ";
        static final String RUNS_ALL =
                "mkdir .git/hooks/d; printf 'for f in .git/hooks/d/*; do sh $f; done' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit";
        static final String OUTSIDE =
                "mkdir -p ../lib/_; cp ../planted ../lib/_/pre-commit; git config -f ../lib/c core.fsmonitor $OUTSIDE; ";
    }
}
