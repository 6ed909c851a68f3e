package dev.sallyport.sandbox;

import dev.sallyport.config.TrustedFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// The state directory that a warden works for. Its tag marks everything that was made on its
/// behalf, so that one installation never sweeps away what another owns.
///
/// @param home `SALLYPORT_HOME`, canonical
/// @param sandboxes where files of sandboxes are
public record Installation(Path home, Path sandboxes) {
    private static final int TAG_CHARS = 16;

    public Installation(Path home) {
        this(home, home.resolve("sandboxes"));
    }

    /// Where workspaces are that Sallyport makes itself; see `run --clone`.
    public Path clones() {
        return home.resolve("clones");
    }

    /// A digest rather than the path, because it is visible inside the sandbox.
    public String tag() {
        byte[] path = home.toString().getBytes(StandardCharsets.UTF_8);
        return TrustedFiles.digest(path).substring(0, TAG_CHARS);
    }
}
