package dev.sallyport.sandbox;

/// What a person may choose about how a sandbox is held, besides [Resources].
public record Hardening(SandboxUser user) {
    public static final Hardening USUAL = new Hardening(new SandboxUser.Usual());

    /// What held for every sandbox when there was nothing to choose.
    public static final Hardening OF_BEFORE = new Hardening(new SandboxUser.Image());
}
