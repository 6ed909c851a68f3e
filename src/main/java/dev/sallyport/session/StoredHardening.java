package dev.sallyport.session;

import dev.sallyport.sandbox.Hardening;
import dev.sallyport.sandbox.SandboxUser;
import java.util.Optional;

/// [Hardening] as it is stored.
record StoredHardening(String user, Optional<String> runtimeClass, boolean userNamespace) {
    static StoredHardening of(Hardening hardening) {
        return new StoredHardening(
                hardening.user().label(), hardening.runtimeClass(), hardening.userNamespace());
    }

    Hardening toHardening() {
        return new Hardening(SandboxUser.parse(user), runtimeClass, userNamespace);
    }
}
