package dev.sallyport.sandbox.docker;

import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.SandboxUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/// Whom a container's first process runs as, and with it every command that enters later: the
/// engine keeps it with the container.
///
/// @param numbers empty to leave it to the image
/// @param image what the image says, empty for nothing
record ContainerUser(Optional<SandboxUser.Numbers> numbers, String image) {
    /// What an image may say for root. Another name for it is found out when the container runs.
    private static final Pattern ROOT = Pattern.compile("(|0+|root)(:.*)?");

    /// @param imageUser what the image says, empty for nothing
    static ContainerUser of(SandboxSpec spec, String imageUser, EngineUsers users)
            throws SandboxException {
        boolean owner =
                switch (spec.hardening().user()) {
                    case SandboxUser.Usual _ -> ROOT.matcher(imageUser).matches();
                    case SandboxUser.Owner _ -> true;
                    case SandboxUser.Image _, SandboxUser.Numbers _ -> false;
                };
        if (owner) {
            return new ContainerUser(Optional.of(users.inside(owner(spec.workspace()))), imageUser);
        }
        return new ContainerUser(
                spec.hardening().user() instanceof SandboxUser.Numbers chosen
                        ? Optional.of(chosen)
                        : Optional.empty(),
                imageUser);
    }

    /// As an account has it: its number, or its name where the image says that.
    String label() {
        String said = image.replaceFirst(":.*", "");
        return numbers.map(n -> Long.toString(n.uid())).orElse(said.isEmpty() ? "0" : said);
    }

    private static SandboxUser.Numbers owner(Path workspace) throws SandboxException {
        try {
            return new SandboxUser.Numbers(
                    Integer.toUnsignedLong((int) Files.getAttribute(workspace, "unix:uid")),
                    Integer.toUnsignedLong((int) Files.getAttribute(workspace, "unix:gid")));
        } catch (IOException e) {
            throw new SandboxException("cannot read the owner of " + workspace + ".", e);
        }
    }
}
