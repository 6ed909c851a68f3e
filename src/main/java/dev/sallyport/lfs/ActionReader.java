package dev.sallyport.lfs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.http.HopByHop;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.StorePlace;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// Reads where the git host says that an object is transferred. Whoever has taken over the host
/// chooses this text: it leads to `https` of hosts that the policy knows as stores of this host,
/// and takes the git credential nowhere but to the host itself.
///
/// @param home the git host
/// @param stores where it may keep objects
/// @param secret whether a text has the git credential in it
record ActionReader(
        HostName home, Predicate<HostName> stores, Predicate<String> secret, Instant now) {
    private static final int FIELDS_MAX = 16;
    private static final int VALUE_CHARACTERS_MAX = 8 << 10;
    private static final int SECONDS_MAX = 3_600;
    private static final String AUTHORIZATION = "authorization";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final Pattern VALUE = Pattern.compile("[ -~]*");

    /// What is ours to say.
    private static final Set<String> OURS =
            Set.of("host", "content-length", "expect", "range", "accept-encoding", "user-agent");

    /// What came of it.
    sealed interface Reading {
        record Fit(Action action) implements Reading {}

        /// Nobody may go there.
        ///
        /// @param host that was named, if one was; for the record
        record Unfit(Refusal reason, String host) implements Reading {}
    }

    Reading read(JsonNode node, LfsObject object) {
        Optional<StorePlace> place = StorePlace.parse(node.path("href").asText(""));
        if (place.isEmpty()) {
            return new Reading.Unfit(Refusal.LFS_STORAGE_NOT_ALLOWED, "");
        }
        String host = place.get().host().value();
        if (!stores.test(place.get().host())) {
            return new Reading.Unfit(Refusal.LFS_STORAGE_NOT_ALLOWED, host);
        }
        Optional<Map<String, String>> fields = fields(node.path("header"));
        if (fields.isEmpty() || secret.test(place.get().target())) {
            return new Reading.Unfit(Refusal.UPSTREAM_MISBEHAVED, host);
        }
        return fit(node, object, place.get(), fields.get());
    }

    /// Some servers, Gitea among them, repeat the credential of the batch as that of the transfer;
    /// then it is written by whoever holds it, at its own host.
    private Reading fit(
            JsonNode node, LfsObject object, StorePlace place, Map<String, String> fields) {
        boolean atHome = place.host().equals(home);
        if (atHome && secret.test(fields.getOrDefault(AUTHORIZATION, ""))) {
            fields.remove(AUTHORIZATION);
        }
        if (fields.values().stream().anyMatch(secret)) {
            return new Reading.Unfit(Refusal.UPSTREAM_MISBEHAVED, place.host().value());
        }
        boolean own = atHome && !fields.containsKey(AUTHORIZATION);
        return new Reading.Fit(new Action(object, place, own, fields, seconds(node)));
    }

    private static Optional<Map<String, String>> fields(JsonNode header) {
        Map<String, String> fields = new TreeMap<>();
        for (Map.Entry<String, JsonNode> field : header.properties()) {
            String name = field.getKey().toLowerCase(Locale.ROOT);
            String value = field.getValue().asText("");
            if (!NAME.matcher(name).matches()
                    || !VALUE.matcher(value).matches()
                    || value.length() > VALUE_CHARACTERS_MAX
                    || fields.size() >= FIELDS_MAX) {
                return Optional.empty();
            }
            if (!OURS.contains(name) && !HopByHop.has(name)) {
                fields.put(name, value.strip());
            }
        }
        return Optional.of(fields);
    }

    private int seconds(JsonNode node) {
        long in = node.path("expires_in").asLong(0);
        String at = node.path("expires_at").asText("");
        if (in <= 0 && !at.isEmpty() && !at.startsWith("0001-")) {
            in = Math.max(1, until(at));
        }
        return (int) (in <= 0 ? SECONDS_MAX : Math.min(in, SECONDS_MAX));
    }

    private long until(String at) {
        try {
            return Duration.between(now, OffsetDateTime.parse(at).toInstant()).toSeconds();
        } catch (DateTimeParseException | ArithmeticException _) {
            return SECONDS_MAX;
        }
    }
}
