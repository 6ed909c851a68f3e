package dev.sallyport.session;

import dev.sallyport.sandbox.Hardening;
import dev.sallyport.sandbox.SandboxUser;

/// [Hardening] as it is stored.
record HardeningText(String user) {
    static HardeningText of(Hardening hardening) {
        return new HardeningText(hardening.user().label());
    }

    Hardening toHardening() {
        return new Hardening(SandboxUser.parse(user));
    }
}
