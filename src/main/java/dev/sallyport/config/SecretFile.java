package dev.sallyport.config;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
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
/// kind `basic`), `updated`, `rotated` (when it has been) and `value`. Older files have no `kind`;
/// whether there is a `user` says it.
///
/// @param updated when a person set it and bound it to its host
record SecretFile(
        String name,
        HostName host,
        Optional<String> user,
        Instant updated,
        Optional<Instant> rotated,
        Secret value) {
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
            Secret value) {}

    /// The caller wipes them.
    byte[] toBytes() throws IOException {
        return JSON.writeValueAsBytes(
                new Stored(
                        host.value(),
                        Optional.of(SecretKind.of(user).label()),
                        user,
                        updated.toString(),
                        rotated.map(Instant::toString),
                        value));
    }

    SecretFile rotated(Instant when, Secret next) {
        return new SecretFile(name, host, user, updated, Optional.of(when), next);
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
            return new SecretFile(
                    name,
                    HostName.parse(stored.host()),
                    stored.user(),
                    Instant.parse(stored.updated()),
                    stored.rotated().map(Instant::parse),
                    stored.value());
        } catch (JsonProcessingException | MalformedNameException | DateTimeException _) {
            throw damaged(name, where);
        }
    }

    private static boolean isConsistent(Stored stored) {
        Optional<String> kind = Optional.of(SecretKind.of(stored.user()).label());
        return (stored.kind().isEmpty() || stored.kind().equals(kind))
                && stored.user().stream().allMatch(SecretFile::isUser);
    }

    /// Has no cause: a parser's message may quote the secret.
    private static ConfigException damaged(String name, Object where) {
        return new ConfigException(
                where + " is not a secret file.",
                "Set it again: sallyport secret set " + name + " < token.txt");
    }
}
