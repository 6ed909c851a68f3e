package dev.sallyport.config;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import dev.sallyport.config.StoredSecret.StoredLogin;
import dev.sallyport.config.StoredSecret.Tokens;
import dev.sallyport.credential.AppKey;
import dev.sallyport.credential.AwsKey;
import dev.sallyport.credential.Secret;
import dev.sallyport.credential.SecretModule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/// What one file of [SecretFiles] says. It is JSON with the fields `host`, `kind`, `user` (for the
/// kind `basic`), `updated`, `rotated` (when it has been), `value`, for the kind `oauth` `login`
/// with `since` and `version`, and for the kind `github-app` `app`. Older files have no `kind`;
/// whether there is a `user` says it.
///
/// @param updated when a person set it and bound it to its host
record SecretFile(
        String name,
        HostName host,
        Optional<String> user,
        Instant updated,
        Optional<Instant> rotated,
        StoredSecret stored) {
    private static final Pattern USER = Pattern.compile("[A-Za-z0-9._@+-]{1,100}");
    private static final JsonMapper JSON =
            JsonMapper.builder()
                    .addModule(new Jdk8Module())
                    .addModule(new SecretModule())
                    .defaultPropertyInclusion(
                            JsonInclude.Value.construct(
                                    JsonInclude.Include.NON_ABSENT, JsonInclude.Include.ALWAYS))
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                    .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                    .build();

    private record Stored(
            String host,
            Optional<String> kind,
            Optional<String> user,
            String updated,
            Optional<String> rotated,
            Secret value,
            Optional<LoginText> login,
            Optional<String> since,
            Optional<String> version,
            Optional<String> app) {}

    SecretKind kind() {
        return SecretKind.of(user, stored);
    }

    /// The caller wipes them.
    byte[] toBytes() throws IOException {
        return JSON.writeValueAsBytes(
                new Stored(
                        host.value(),
                        Optional.of(kind().label()),
                        user,
                        updated.toString(),
                        rotated.map(Instant::toString),
                        stored.value(),
                        stored.login().map(StoredLogin::text),
                        stored.login().map(login -> login.since().toString()),
                        stored.login().map(StoredLogin::version),
                        stored.app()));
    }

    SecretFile rotated(Instant when, StoredSecret next) {
        return new SecretFile(name, host, user, updated, Optional.of(when), next);
    }

    /// Renewed by itself: nobody rotated it.
    SecretFile renewed(StoredSecret next) {
        return new SecretFile(name, host, user, updated, rotated, next);
    }

    /// What it is with these tokens; empty when it is no login.
    Optional<StoredSecret> with(Tokens tokens, Instant when) {
        return stored.login()
                .map(StoredLogin::text)
                .map(text -> text.with(tokens.refresh().orElse(text.refresh()), tokens.expires()))
                .map(
                        text ->
                                new StoredSecret(
                                        tokens.access(), Optional.of(StoredLogin.of(text, when))));
    }

    /// A user name that cannot end the user part of basic authentication, or a header (G19).
    static boolean isUser(String text) {
        return USER.matcher(text).matches();
    }

    /// @param where the file, for complaints
    static SecretFile parse(String name, byte[] bytes, Object where) throws IOException {
        try {
            Stored stored = JSON.readValue(bytes, Stored.class);
            if (stored == null || !isConsistent(stored)) {
                throw damaged(name, where);
            }
            SecretFile file =
                    new SecretFile(
                            name,
                            HostName.parse(stored.host()),
                            stored.user(),
                            Instant.parse(stored.updated()),
                            stored.rotated().map(Instant::parse),
                            new StoredSecret(stored.value(), login(stored), stored.app()));
            if (!stored.kind().orElse(file.kind().label()).equals(file.kind().label())) {
                throw damaged(name, where);
            }
            return file;
        } catch (JsonProcessingException | MalformedNameException | DateTimeException _) {
            throw damaged(name, where);
        }
    }

    private static Optional<StoredLogin> login(Stored stored) throws MalformedNameException {
        if (stored.login().isEmpty()) {
            return Optional.empty();
        }
        stored.login().get().check();
        return Optional.of(
                new StoredLogin(
                        stored.login().get(),
                        Instant.parse(stored.since().orElseThrow()),
                        stored.version().orElseThrow()));
    }

    private static boolean isConsistent(Stored stored) {
        boolean login = stored.login().isPresent();
        boolean app = stored.app().isPresent();
        boolean aws = !login && !app && AwsKey.isOne(stored.value());
        return stored.since().isPresent() == login
                && stored.version().isPresent() == login
                && !(login && app)
                && !((login || app || aws) && stored.user().isPresent())
                && (!aws || AwsKey.of(stored.value()).isPresent())
                && stored.user().stream().allMatch(SecretFile::isUser)
                && stored.app().stream()
                        .allMatch(id -> StoredSecret.isApp(id) && isKey(stored.value()));
    }

    private static boolean isKey(Secret value) {
        try {
            var _ = AppKey.of(value);
            return true;
        } catch (AppKey.BadKeyException _) {
            return false;
        }
    }

    /// Has no cause: a parser's message may quote the secret.
    private static ConfigException damaged(String name, Object where) {
        return new ConfigException(
                where + " is not a secret file.",
                "Set it again: sallyport secret set " + name + " < token.txt");
    }
}
