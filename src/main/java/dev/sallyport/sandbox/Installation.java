package dev.sallyport.sandbox;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

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
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(home.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, TAG_CHARS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
