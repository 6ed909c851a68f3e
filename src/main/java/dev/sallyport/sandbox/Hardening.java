package dev.sallyport.sandbox;

import java.util.Optional;

/// What a person may choose about how a sandbox is held, besides [Resources].
///
/// @param runtimeClass the engine's name of the program that runs its containers; empty for the
///   engine's usual one
public record Hardening(SandboxUser user, Optional<String> runtimeClass) {
    public static final Hardening USUAL = new Hardening(new SandboxUser.Usual(), Optional.empty());

    /// What held for every sandbox when there was nothing to choose.
    public static final Hardening OF_BEFORE =
            new Hardening(new SandboxUser.Image(), Optional.empty());
}
