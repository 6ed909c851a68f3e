package dev.sallyport.credential;

import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.TokenEndpoint;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// What a secret that is an access token is renewed with (RFC 6749, section 6).
///
/// @param expires when the access token does; absent when nobody said so
/// @param since when the access token came here
/// @param version tells it from what it was before, whoever changed it
/// @param endpoint the one place that the refresh token may be sent to
public record Login(
        Secret refresh,
        Optional<Instant> expires,
        Instant since,
        String version,
        TokenEndpoint endpoint,
        Client client) {
    /// A token that is about to expire may do so on its way.
    private static final Duration MARGIN_MAX = Duration.ofMinutes(1);

    /// Of a short life less is left for the margin.
    private static final int MARGIN_PART = 5;

    /// What is younger was refused for another reason than its age.
    private static final Duration REFUSABLE_AFTER = Duration.ofMinutes(5);

    /// The endpoint's clock may be behind ours.
    private static final Duration CLOCKS_DIFFER_MAX = Duration.ofSeconds(60);

    /// It is used at once.
    private static final Duration ASSERTION_LIFE = Duration.ofMinutes(3);

    /// Who we are to the endpoint.
    ///
    /// @param secret of a client that has one; that of a program on people's machines is none
    public record Client(String id, Optional<Secret> secret, Optional<String> scope, Form form) {}

    /// How the endpoint wants to be asked.
    public enum Form {
        /// As RFC 6749 has it.
        FORM("application/x-www-form-urlencoded"),
        JSON("application/json"),
        /// With a signed assertion in the place of a refresh token (RFC 7523, section 2.1). What is
        /// kept as the refresh token is the private key, which is sent nowhere.
        ASSERTION("application/x-www-form-urlencoded");

        private final String mediaType;

        Form(String mediaType) {
            this.mediaType = mediaType;
        }

        public String mediaType() {
            return mediaType;
        }
    }

    /// Whether it is time to renew.
    boolean isDue(Instant now) {
        return expires.isPresent() && !now.isBefore(expires.get().minus(margin(expires.get())));
    }

    private Duration margin(Instant end) {
        Duration part = Duration.between(since, end).dividedBy(MARGIN_PART);
        if (part.isNegative()) {
            return Duration.ZERO;
        }
        return part.compareTo(MARGIN_MAX) < 0 ? part : MARGIN_MAX;
    }

    /// Whether the access token is of no use any more.
    boolean isOver(Instant now) {
        return expires.isPresent() && !now.isBefore(expires.get());
    }

    /// Whether a host that refuses the access token may do so because of its age. Else every
    /// request that is refused would renew it.
    boolean isRefusable(Instant now) {
        return !now.isBefore(since.plus(REFUSABLE_AFTER));
    }

    /// The body that asks for a new access token; whoever sends it wipes it.
    ///
    /// @throws IllegalStateException when the permit is for another place, or the secret is gone
    public byte[] request(EgressPermit permit) {
        boolean meant =
                permit.isForRenewal()
                        && permit.host().equals(endpoint.host())
                        && permit.port() == endpoint.port();
        if (!meant) {
            throw new IllegalStateException("the refresh token belongs to another host");
        }
        Map<String, String> members =
                client.form() == Form.ASSERTION ? assertion(Instant.now()) : refreshing();
        String text =
                switch (client.form()) {
                    case FORM, ASSERTION ->
                            members.entrySet().stream()
                                    .map(m -> m.getKey() + "=" + Spelling.percent(m.getValue()))
                                    .collect(Collectors.joining("&"));
                    case JSON ->
                            members.entrySet().stream()
                                    .map(m -> quoted(m.getKey()) + ":" + quoted(m.getValue()))
                                    .collect(Collectors.joining(",", "{", "}"));
                };
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private Map<String, String> refreshing() {
        Map<String, String> members = new LinkedHashMap<>();
        members.put("grant_type", "refresh_token");
        members.put("refresh_token", refresh.text());
        members.put("client_id", client.id());
        client.secret().ifPresent(secret -> members.put("client_secret", secret.text()));
        client.scope().ifPresent(scope -> members.put("scope", scope));
        return members;
    }

    private Map<String, String> assertion(Instant now) {
        String claims =
                "{%s:%s,%s:%s,%s:%s,%s:%d,%s:%d}"
                        .formatted(
                                quoted("iss"),
                                quoted(client.id()),
                                quoted("scope"),
                                quoted(client.scope().orElse("")),
                                quoted("aud"),
                                quoted(endpoint.url()),
                                quoted("iat"),
                                now.minus(CLOCKS_DIFFER_MAX).getEpochSecond(),
                                quoted("exp"),
                                now.plus(ASSERTION_LIFE).getEpochSecond());
        try {
            return Map.of(
                    "grant_type",
                    "urn:ietf:params:oauth:grant-type:jwt-bearer",
                    "assertion",
                    AppKey.of(refresh).signed(claims));
        } catch (AppKey.BadKeyException e) {
            throw new IllegalStateException("the key was checked when it was stored", e);
        }
    }

    /// All of it is printable ASCII.
    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    void wipe() {
        refresh.wipe();
        client.secret().ifPresent(Secret::wipe);
    }
}
