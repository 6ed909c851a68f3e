package dev.sallyport.cli;

import java.nio.file.Path;
import java.util.List;

/// Looks at a workspace before it is handed to a sandbox.
record WorkspaceCheck(Output output, Path workspace) {
    /// @param allowed whether the person has said that it is all right
    void requireNoCredentials(boolean allowed) throws CliException {
        List<String> keys = WorkspaceCredentials.keysIn(workspace);
        if (keys.isEmpty()) {
            return;
        }
        String what =
                "The workspace's .git/config holds a credential (in "
                        + String.join(", ", keys)
                        + ") that the sandbox could read.";
        if (allowed) {
            output.warn(what);
            return;
        }
        throw new CliException(
                ExitCode.REFUSED,
                "workspace-credential",
                what,
                "Take it out (git remote set-url origin https://HOST/OWNER/NAME.git), store it with"
                        + " sallyport secret set, and revoke it if a sandbox has already seen it."
                        + " Or go on with --allow-workspace-credentials.");
    }
}
