package dev.sallyport.sandbox.docker;

import dev.sallyport.sandbox.ForeignTree;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxHome;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.SandboxUser;
import java.nio.file.Path;
import java.util.Optional;

/// The home of a container's user that lies outside. An image's own user, whose number nobody knows
/// before the container is made, keeps the home of the image, which goes with the container.
///
/// @param directory empty for the image's own
/// @param isNew whether nothing can be in it yet
record ContainerHome(Optional<Path> directory, boolean isNew) {
    static final ContainerHome NONE = new ContainerHome(Optional.empty(), false);

    /// Runs inside, as the container's user: what an image has in that user's home, such as
    /// settings, is in the new one as well.
    static final String COPY =
            """
            me=$(id -u)
            while IFS=: read -r _ _ uid _ _ home _; do
                if [ "$uid" = "$me" ] && [ -d "$home" ] && [ "$home" != / ] && [ "$home" != "$HOME" ]; then
                    cp -R "$home/." "$HOME/" 2>/dev/null
                    break
                fi
            done < /etc/passwd
            """;

    static ContainerHome make(SandboxSpec spec, ContainerUser user, EngineUsers users)
            throws SandboxException {
        Optional<SandboxUser.Numbers> owner = user.numbers().flatMap(users::outside);
        if (owner.isEmpty() || spec.home().directory().isEmpty()) {
            return NONE;
        }
        String uid = Long.toString(owner.get().uid());
        Path home = spec.home().directory().get().resolve(uid);
        boolean isNew = new ForeignTree(home).make(owner.get().uid(), owner.get().gid());
        return new ContainerHome(Optional.of(home), isNew);
    }

    /// Where it is inside, without the first `/`.
    String inside() {
        return directory.isPresent()
                ? SandboxHome.PLACE.toString().substring(1)
                : ContainerAccount.HOME;
    }
}
