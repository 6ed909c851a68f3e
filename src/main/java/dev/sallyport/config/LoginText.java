package dev.sallyport.config;

import dev.sallyport.credential.Login;
import dev.sallyport.credential.Secret;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.TokenEndpoint;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// What an access token is renewed with as text, for whatever leaves the process: the secret's
/// file, the channel, the control API.
///
/// @param expires when the access token does, in ISO 8601; absent when nobody knows
/// @param endpoint an `https` URL
/// @param form how the endpoint is asked: `json`, `form` or `assertion`
public record LoginText(
        Secret refresh,
        Optional<String> expires,
        String endpoint,
        String clientId,
        Optional<Secret> clientSecret,
        Optional<String> scope,
        String form) {
    /// RFC 6749, appendices A.1 and A.4, without what would have to be escaped.
    private static final Pattern CLIENT_ID = Pattern.compile("[!#-\\[\\]-~]{1,200}");

    private static final Pattern SCOPE = Pattern.compile("[!#-\\[\\]-~]+( [!#-\\[\\]-~]+)*");
    private static final int SCOPE_CHARS_MAX = 1_000;

    /// Checks every part.
    ///
    /// @throws MalformedNameException which names the part that cannot be used
    public void check() throws MalformedNameException {
        var _ = toLogin("", Instant.EPOCH, Reach.PUBLIC);
    }

    /// Parses every part again: the type is the proof that they were.
    ///
    /// @param reach how the endpoint is reached
    public Login toLogin(String version, Instant since, Reach reach) throws MalformedNameException {
        require(CLIENT_ID.matcher(clientId).matches(), "a client id is printable ASCII");
        require(
                scope.stream()
                        .allMatch(
                                text ->
                                        text.length() <= SCOPE_CHARS_MAX
                                                && SCOPE.matcher(text).matches()),
                "a scope is words of printable ASCII, with one space between");
        Optional<Login.Form> known =
                Arrays.stream(Login.Form.values())
                        .filter(f -> f.name().toLowerCase(Locale.ROOT).equals(form))
                        .findFirst();
        require(known.isPresent(), "an endpoint is asked with json, form or assertion");
        return new Login(
                refresh,
                expiry(),
                since,
                version,
                TokenEndpoint.parse(endpoint).reachedBy(reach),
                new Login.Client(clientId, clientSecret, scope, known.orElseThrow()));
    }

    private Optional<Instant> expiry() throws MalformedNameException {
        try {
            return expires.map(Instant::parse);
        } catch (DateTimeException e) {
            throw new MalformedNameException("a time is written as in 2026-01-31T12:00:00Z");
        }
    }

    private static void require(boolean holds, String rule) throws MalformedNameException {
        if (!holds) {
            throw new MalformedNameException(rule);
        }
    }

    /// The same login after it was renewed or made anew.
    LoginText with(Secret nextRefresh, Optional<String> nextExpires) {
        return new LoginText(
                nextRefresh, nextExpires, endpoint, clientId, clientSecret, scope, form);
    }

    /// Overwrites the secrets in it.
    public void wipe() {
        refresh.wipe();
        clientSecret.ifPresent(Secret::wipe);
    }
}
