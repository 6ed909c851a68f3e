package dev.sallyport.credential;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Injection;
import java.util.List;
import java.util.Optional;

/// A secret that rules may inject, together with the one host it was stored for.
///
/// @param name under which rules name it
/// @param login what it is renewed with, if it is an access token
public record InjectedCredential(String name, HostName host, Secret secret, Optional<Login> login) {
    /// One that stays as it is.
    public InjectedCredential(String name, HostName host, Secret secret) {
        this(name, host, secret, Optional.empty());
    }

    /// Whether it can be used in this way: one that requests are signed with is sent nowhere, and
    /// an answer has to be searched for each of its values.
    boolean isUsable(Injection injection) {
        return !secret.isWiped()
                && (injection.isSigned() ? AwsKey.of(secret).isPresent() : !AwsKey.isOne(secret))
                && values().stream().allMatch(value -> !value.isWiped() && value.canBeFound());
    }

    /// What nobody in a sandbox may see.
    List<Secret> values() {
        Optional<AwsKey> key = AwsKey.of(secret);
        if (key.isPresent()) {
            return key.get().traces();
        }
        return login.map(known -> List.of(secret, known.refresh())).orElse(List.of(secret));
    }

    void wipe() {
        secret.wipe();
        login.ifPresent(Login::wipe);
    }
}
