package dev.sallyport.sandbox;

import java.util.Optional;

/// What a person may choose about how a sandbox is held, besides [Resources].
///
/// @param runtimeClass the engine's name of the program that runs its containers; empty for the
///   engine's usual one
/// @param userNamespace whether its root must be nobody's root outside
public record Hardening(SandboxUser user, Optional<String> runtimeClass, boolean userNamespace) {
    public static final Hardening USUAL =
            new Hardening(new SandboxUser.Usual(), Optional.empty(), false);

    /// What held for every sandbox when there was nothing to choose.
    public static final Hardening OF_BEFORE =
            new Hardening(new SandboxUser.Image(), Optional.empty(), false);
}
