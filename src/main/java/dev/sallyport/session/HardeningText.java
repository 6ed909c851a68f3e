package dev.sallyport.session;

import dev.sallyport.sandbox.Hardening;
import dev.sallyport.sandbox.SandboxUser;
import java.util.Optional;

/// [Hardening] as it is stored.
record HardeningText(String user, Optional<String> runtimeClass) {
    static HardeningText of(Hardening hardening) {
        return new HardeningText(hardening.user().label(), hardening.runtimeClass());
    }

    Hardening toHardening() {
        return new Hardening(SandboxUser.parse(user), runtimeClass);
    }
}
