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
                    "Whom a container's commands run as. Default: the image's user, or, if that is root, the owner of the workspace.")
    private @Nullable String user;

    @Option(
            names = "--runtime-class",
            paramLabel = "NAME",
            description =
                    "Runtime of the container engine, as docker info lists them. Default: the engine's usual one.")
    private @Nullable String runtimeClass;

    @Option(
            names = "--userns",
            paramLabel = "private",
            description =
                    "Only in a user namespace of its own, where root is nobody's root outside. Default: as the runtime has it; bubblewrap always has one.")
    private @Nullable String userns;

    Api.HardeningRequest request() {
        return new Api.HardeningRequest(
                Optional.ofNullable(user),
                Optional.ofNullable(runtimeClass),
                Optional.ofNullable(userns));
    }
}
