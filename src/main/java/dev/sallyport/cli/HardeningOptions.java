package dev.sallyport.cli;

import dev.sallyport.control.Api;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// How a sandbox is held.
final class HardeningOptions {
    @Option(
            names = "--user",
            paramLabel = "image|owner|UID[:GID]",
            description =
                    "User for the commands in a container. Default: the user of the image, or the owner of the workspace if that is root.")
    private @Nullable String user;

    @Option(
            names = "--runtime-class",
            paramLabel = "NAME",
            description =
                    "Runtime of the container engine, as listed by docker info. Default: the engine's default.")
    private @Nullable String runtimeClass;

    @Option(
            names = "--userns",
            paramLabel = "private",
            description =
                    "Require a separate user namespace, so that root inside is not root on the host. Default: what the runtime does; bubblewrap always has one.")
    private @Nullable String userns;

    Api.HardeningRequest request() {
        return new Api.HardeningRequest(
                Optional.ofNullable(user),
                Optional.ofNullable(runtimeClass),
                Optional.ofNullable(userns));
    }
}
