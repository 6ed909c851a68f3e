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

    /// The hook is one that git-lfs knows as its own, of an early version, so that every version
    /// takes it for what it would install, or replaces it.
    static final String SCRIPT =
            """
            if command -v git-lfs >/dev/null 2>&1 && mkdir %1$s 2>/dev/null; then
                mkdir %1$s/hooks
                printf '#!/bin/sh\\ngit lfs pre-push "$@"\\n' > %1$s/hooks/pre-push
                chmod 755 %1$s/hooks/pre-push
                cat > %2$s <<'END'
            [filter "lfs"]
            	clean = git-lfs clean -- %%f
            	smudge = git-lfs smudge -- %%f
            	process = git-lfs filter-process
            	required = true
            [lfs]
            	locksverify = false
            [lfs "transfer"]
            	maxretrydelay = 1
            END
            fi 2>/dev/null
            """
                    .formatted(DIRECTORY, CONFIG);

    private LargeFileSupport() {}
}
