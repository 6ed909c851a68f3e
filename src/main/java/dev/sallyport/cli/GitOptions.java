package dev.sallyport.cli;

import dev.sallyport.config.GitIdentity;
import dev.sallyport.config.GitSettings;
import picocli.CommandLine.Option;

/// What `run`, `new` and `k8s render` say about git in the sandbox.
final class GitOptions {
    @Option(
            names = "--no-git-rewrite",
            description = "Do not configure git in the sandbox to use the gateway.")
    private boolean noGitRewrite;

    @Option(
            names = "--git-hooks",
            description =
                    "Run the repository's git hooks in the sandbox. Default: they do not run.")
    private boolean gitHooks;

    GitSettings settings(GitIdentity identity) {
        return new GitSettings(!noGitRewrite, gitHooks, false, identity);
    }
}
