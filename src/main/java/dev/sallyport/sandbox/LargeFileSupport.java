package dev.sallyport.sandbox;

/// Lets git use git-lfs inside, if it is there, without a question or a flag: the filters that `git
/// lfs install` would set up, and the hook that uploads objects before a push.
///
/// Whether it is there only the inside knows, so a script looks for it before the first command,
/// and what it makes belongs to the sandbox. git leaves out a file of its configuration that does
/// not exist.
///
/// git-lfs tries each upload that failed eight times more, also one that was refused for good. The
/// gateway is near, so it need not wait ten seconds between them.
final class LargeFileSupport {
    static final String DIRECTORY = "/tmp/sallyport-git";
    static final String CONFIG = DIRECTORY + "/lfs";

    /// What `pre-push` does. `git lfs pre-push` starts some twenty processes, so it is only asked
    /// where there can be something to upload: the repository has stored objects, or may have them
    /// in another place, or its attributes name the filter. Whatever this does not understand it
    /// leaves to git-lfs. An object that is missed here is not lost: the gateway refuses a push
    /// that names objects which the git host does not have.
    static final String PRE_PUSH =
            """
            d=${GIT_COMMON_DIR:-${GIT_DIR:-.git}}
            if [ -f "$d/commondir" ] && read -r c < "$d/commondir"; then
                case $c in /*) d=$c ;; *) d=$d/$c ;; esac
            fi
            if [ -d "$d/objects" ] && [ ! -e "$d/lfs/objects" ] && [ ! -e "$d/objects/info/alternates" ] &&
                [ -z "$GIT_ALTERNATE_OBJECT_DIRECTORIES" ] && ! git config lfs.storage > /dev/null &&
                ! grep -qs filter=lfs .gitattributes "$d/info/attributes"; then
                exit 0
            fi
            git lfs pre-push "$@"
            """;

    /// git-lfs replaces a hook that is its own or empty, each time it is used, and fails with
    /// another. It looks at the first 1,024 characters, so ours begins with as many blanks. git
    /// gives a hook without `#!` to sh.
    static final String SCRIPT =
            """
            if command -v git-lfs >/dev/null 2>&1 && mkdir %1$s 2>/dev/null; then
                mkdir %1$s/hooks
                printf '%%1024s\n%%s' '' '%3$s' > %1$s/hooks/pre-push
                chmod 755 %1$s/hooks/pre-push
                printf %%s '[filter "lfs"]
            	clean = git-lfs clean -- %%f
            	smudge = git-lfs smudge -- %%f
            	process = git-lfs filter-process
            	required = true
            [lfs]
            	locksverify = false
            [lfs "transfer"]
            	maxretrydelay = 1
            ' > %2$s
            fi 2>/dev/null
            """
                    .formatted(DIRECTORY, CONFIG, PRE_PUSH);
}
