package dev.sallyport.config;

import dev.sallyport.credential.Secret;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// The values of one secret.
///
/// @param value what is sent; of a login the access token
public record StoredSecret(Secret value, Optional<StoredLogin> login) {
    /// What `value` is renewed with.
    ///
    /// @param since when it was stored
    /// @param version another one for whatever is stored, so that nobody replaces what they have
    ///   not seen
    public record StoredLogin(LoginText text, Instant since, String version) {
        private static final SecureRandom RANDOM = new SecureRandom();
        private static final int VERSION_BYTES = 16;

        static StoredLogin of(LoginText text, Instant since) {
            byte[] bytes = new byte[VERSION_BYTES];
            RANDOM.nextBytes(bytes);
            return new StoredLogin(text, since, HexFormat.of().formatHex(bytes));
        }
    }

    /// A new access token and what it is renewed with from now on.
    ///
    /// @param refresh absent when the present refresh token stays good
    /// @param expires of the access token, in ISO 8601
    public record Tokens(Secret access, Optional<Secret> refresh, Optional<String> expires) {}

    /// Everything that nobody in a sandbox may see.
    public List<Secret> values() {
        return login.map(known -> List.of(value, known.text().refresh())).orElse(List.of(value));
    }

    public void wipe() {
        value.wipe();
        login.ifPresent(known -> known.text().wipe());
    }
}
