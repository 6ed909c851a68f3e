package dev.sallyport.warden;

import dev.sallyport.control.Api;
import dev.sallyport.sandbox.Hardening;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxUser;
import java.util.Optional;
import java.util.regex.Pattern;

/// Checks what was asked for about how a sandbox is held. What a runtime does not have is refused,
/// not ignored.
final class HardeningRequests {
    private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}");

    private HardeningRequests() {}

    static Hardening of(Api.HardeningRequest request, RuntimeKind runtime)
            throws OperationException {
        return new Hardening(
                user(request.user(), runtime),
                runtimeClass(request.runtimeClass(), runtime),
                isPrivate(request.userns()));
    }

    private static SandboxUser user(Optional<String> asked, RuntimeKind runtime)
            throws OperationException {
        if (asked.isEmpty()) {
            return new SandboxUser.Usual();
        }
        requireDocker("--user", runtime);
        try {
            return SandboxUser.parse(asked.get());
        } catch (IllegalArgumentException e) {
            throw OperationException.invalid(
                    "Not a user for a container.",
                    "Use --user image, --user owner or --user UID[:GID].");
        }
    }

    /// Whether the engine knows it is asked when the container is made.
    private static Optional<String> runtimeClass(Optional<String> asked, RuntimeKind runtime)
            throws OperationException {
        if (asked.isPresent()) {
            requireDocker("--runtime-class", runtime);
            if (!NAME.matcher(asked.get()).matches()) {
                throw OperationException.invalid(
                        "Not the name of a runtime.",
                        "List the runtimes of the engine with: docker info");
            }
        }
        return asked;
    }

    /// The engine's other word, `host`, takes a container out of the namespace that the engine has
    /// for it.
    private static boolean isPrivate(Optional<String> asked) throws OperationException {
        if (asked.isPresent() && !asked.get().equals("private")) {
            throw OperationException.invalid(
                    "--userns takes only private; the host's user namespace would weaken the sandbox.",
                    "Use --userns private, or leave it out for the runtime's default.");
        }
        return asked.isPresent();
    }

    private static void requireDocker(String option, RuntimeKind runtime)
            throws OperationException {
        if (runtime != RuntimeKind.DOCKER) {
            throw OperationException.invalid(
                    option + " needs the runtime docker.",
                    "Leave it out, or add --runtime docker.");
        }
    }
}
