package dev.sallyport.config;

import dev.sallyport.credential.AppKey;
import dev.sallyport.credential.AwsKey;
import dev.sallyport.credential.Secret;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The values of one secret.
///
/// @param value what is sent; of a login the access token; of a GitHub App its private key, which
///   is sent nowhere; of AWS the line of an [AwsKey]
/// @param app id or client id of a GitHub App
public record StoredSecret(Secret value, Optional<StoredLogin> login, Optional<String> app) {
    private static final Pattern APP = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    /// One that is not the key of a GitHub App.
    public StoredSecret(Secret value, Optional<StoredLogin> login) {
        this(value, login, Optional.empty());
    }

    /// An id like `123456`, or a client id like `Iv23liAbCdEf`: nothing that has to be escaped in
    /// what is signed.
    public static boolean isApp(String text) {
        return APP.matcher(text).matches();
    }

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
        if (app.isPresent()) {
            return traces();
        }
        Optional<AwsKey> key = AwsKey.of(value);
        if (key.isPresent()) {
            return key.get().traces();
        }
        return login.map(known -> List.of(value, known.text().refresh())).orElse(List.of(value));
    }

    private List<Secret> traces() {
        try {
            return AppKey.of(value).traces();
        } catch (AppKey.BadKeyException e) {
            throw new IllegalStateException("the file was checked when it was read", e);
        }
    }

    public void wipe() {
        value.wipe();
        login.ifPresent(known -> known.text().wipe());
    }
}
