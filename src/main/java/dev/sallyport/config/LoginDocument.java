package dev.sallyport.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sallyport.credential.AppKey;
import dev.sallyport.credential.Secret;
import dev.sallyport.credential.TokenClaims;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

/// A login as a person has it: the file in which an agent keeps its own, or one written by hand.
///
/// @param provider whose agent's file it is; absent for one written by hand
/// @param said what one written by hand says of where it is renewed
public record LoginDocument(
        Secret access,
        Secret refresh,
        Optional<Instant> expires,
        Optional<String> provider,
        Said said) {
    /// What only a document written by hand says; the one of an agent may have a client's secret
    /// added to it.
    public record Said(
            Optional<String> endpoint,
            Optional<String> clientId,
            Optional<Secret> clientSecret,
            Optional<String> scope,
            Optional<String> form) {}

    /// In seconds it is the year 5138, in milliseconds 1973.
    private static final long SECONDS_BELOW = 100_000_000_000L;

    private static final String NO_ACCESS = "sallyport-has-no-access-token-yet";
    private static final String CLOUD_SCOPE = "https://www.googleapis.com/auth/cloud-platform";

    private static final JsonMapper JSON =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    /// Claude Code's `claudeAiOauth`, Codex's `tokens`, Gemini's file with its `expiry_date`, the
    /// key of a Google service account, or members named as in RFC 6749 with `expires_at` and
    /// `token_endpoint`. The caller wipes the bytes.
    public static LoginDocument parse(byte[] bytes) throws IOException {
        JsonNode document = read(bytes);
        JsonNode claude = document.path("claudeAiOauth");
        JsonNode codex = document.path("tokens");
        Said said = said(document);
        if (claude.isObject()) {
            Names names = new Names("accessToken", "refreshToken", "expiresAt");
            return of(claude, names, Optional.of("anthropic"), said);
        }
        if (codex.isObject()) {
            return of(codex, Names.STANDARD, Optional.of("openai"), said);
        }
        if (document.path("type").asText().equals("service_account")) {
            return ofServiceAccount(document);
        }
        if (document.has("expiry_date")) {
            Names names = new Names("access_token", "refresh_token", "expiry_date");
            return of(document, names, Optional.of("google"), said);
        }
        return of(document, Names.STANDARD, Optional.empty(), said);
    }

    /// The key of a Google service account, with which access tokens are asked for. There is none
    /// yet, so the first request has to wait for one.
    private static LoginDocument ofServiceAccount(JsonNode document) throws ConfigException {
        byte[] pem = text(document, "private_key").orElse("").getBytes(StandardCharsets.ISO_8859_1);
        try {
            return new LoginDocument(
                    Secret.of(NO_ACCESS.getBytes(StandardCharsets.US_ASCII)),
                    AppKey.ofPem(pem),
                    Optional.of(Instant.EPOCH),
                    Optional.empty(),
                    new Said(
                            text(document, "token_uri"),
                            text(document, "client_email"),
                            Optional.empty(),
                            Optional.of(CLOUD_SCOPE),
                            Optional.of("assertion")));
        } catch (AppKey.BadKeyException e) {
            throw new ConfigException(
                    e.problem(), "Give the JSON file of the service account's key as it was made.");
        } finally {
            Arrays.fill(pem, (byte) 0);
        }
    }

    /// What the members with the tokens are called.
    private record Names(String access, String refresh, String expiry) {
        static final Names STANDARD = new Names("access_token", "refresh_token", "expires_at");
    }

    /// A parser's words may quote a token.
    private static JsonNode read(byte[] bytes) throws IOException {
        try {
            JsonNode document = JSON.readTree(bytes);
            if (document != null && document.isObject()) {
                return document;
            }
        } catch (JsonProcessingException _) {
            // Told below.
        }
        throw new ConfigException(
                "This is not a login file: it is not a JSON object.",
                "Give the file of an agent, or {\"access_token\": …, \"refresh_token\": …,"
                        + " \"token_endpoint\": …, \"client_id\": …}. A single token is stored"
                        + " without --kind oauth.");
    }

    private static Said said(JsonNode document) throws ConfigException {
        return new Said(
                text(document, "token_endpoint"),
                text(document, "client_id"),
                secret(document, "client_secret"),
                text(document, "scope"),
                text(document, "form"));
    }

    private static LoginDocument of(
            JsonNode tokens, Names names, Optional<String> provider, Said said)
            throws ConfigException {
        Secret access = required(tokens, names.access());
        Optional<Instant> expires = time(tokens, names.expiry());
        return new LoginDocument(
                access,
                required(tokens, names.refresh()),
                expires.or(() -> TokenClaims.expiry(access)),
                provider,
                said);
    }

    private static Secret required(JsonNode tokens, String name) throws ConfigException {
        return secret(tokens, name)
                .orElseThrow(
                        () ->
                                new ConfigException(
                                        "The login has no " + name + ".",
                                        "Log in again with the agent. A token that is not renewed is stored without --kind oauth."));
    }

    private static Optional<Secret> secret(JsonNode node, String name) throws ConfigException {
        Optional<String> text = text(node, name);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        byte[] bytes = text.get().getBytes(StandardCharsets.UTF_8);
        try {
            for (byte b : bytes) {
                if (b <= 0x20 || b == 0x7f) {
                    throw new IllegalArgumentException("it is not printable ASCII");
                }
            }
            return Optional.of(Secret.of(bytes));
        } catch (IllegalArgumentException _) {
            throw new ConfigException(
                    "The login's %s is not 1 to %s printable ASCII characters."
                            .formatted(name, Secret.BYTES_MAX),
                    "Give the document as the agent wrote it.");
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    private static Optional<String> text(JsonNode node, String name) throws ConfigException {
        JsonNode value = node.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return Optional.empty();
        }
        if (!value.isTextual()) {
            throw new ConfigException(
                    "The login's " + name + " is not text.", "Write it as a JSON string.");
        }
        return Optional.of(value.textValue());
    }

    /// Agents write milliseconds, others seconds or ISO 8601.
    private static Optional<Instant> time(JsonNode node, String name) throws ConfigException {
        JsonNode value = node.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return Optional.empty();
        }
        try {
            if (value.isTextual()) {
                return Optional.of(Instant.parse(value.textValue()));
            }
            if (value.canConvertToLong() && value.longValue() > 0) {
                long number = value.longValue();
                return Optional.of(
                        number > SECONDS_BELOW
                                ? Instant.ofEpochMilli(number)
                                : Instant.ofEpochSecond(number));
            }
        } catch (DateTimeException _) {
            // Told below.
        }
        throw new ConfigException(
                "The login's " + name + " is not a time.",
                "Write it as in \"2026-01-31T12:00:00Z\", or in seconds since 1970.");
    }
}
