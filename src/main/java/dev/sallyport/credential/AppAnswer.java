package dev.sallyport.credential;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What GitHub says to an App about an installation, or about a token for it. It comes from the
/// network: an object without repeated members, of bounded size and depth; members that nobody
/// asked for are skipped.
///
/// @param id of an installation
/// @param suspended whether the installation is, so that it gives no tokens
/// @param all whether a token is for all repositories of an installation
/// @param permissions what the installation or the token may do, by name
public record AppAnswer(
        Optional<Long> id,
        boolean suspended,
        Optional<Secret> token,
        Optional<Instant> expires,
        boolean all,
        NavigableMap<String, String> permissions) {
    /// Of an answer as a whole. One about a token describes each repository.
    public static final int BYTES_MAX = 4 << 20;

    /// Basic authentication makes it longer by a third, and servers take 8 KiB for a field.
    private static final int TOKEN_BYTES_MAX = 4_096;

    private static final int DEPTH_MAX = 16;
    private static final int PERMISSIONS_MAX = 200;
    private static final Pattern WORD = Pattern.compile("[a-z_]{1,60}");

    private static final JsonFactory JSON = TokenAnswer.json(DEPTH_MAX, 1 << 20);

    /// Empty when it is no such answer. The caller wipes the bytes.
    public static Optional<AppAnswer> parse(byte[] bytes) {
        Reading reading = new Reading();
        try (JsonParser json = JSON.createParser(bytes)) {
            TokenAnswer.object(json, reading::member);
            return Optional.of(reading.answer());
        } catch (IOException | IllegalArgumentException | DateTimeException _) {
            // Without the cause, whose message may quote a token.
            reading.wipe();
            return Optional.empty();
        }
    }

    private static final class Reading {
        private @Nullable Long id;
        private boolean suspended;
        private @Nullable Secret token;
        private @Nullable Instant expires;
        private boolean all;
        private final NavigableMap<String, String> permissions = new TreeMap<>();

        AppAnswer answer() {
            return new AppAnswer(
                    Optional.ofNullable(id),
                    suspended,
                    Optional.ofNullable(token),
                    Optional.ofNullable(expires),
                    all,
                    Collections.unmodifiableNavigableMap(permissions));
        }

        private void member(String name, JsonParser json) throws IOException {
            JsonToken value = json.nextToken();
            if (value == JsonToken.VALUE_NULL) {
                return;
            }
            switch (name) {
                case "id" -> {
                    TokenAnswer.require(value == JsonToken.VALUE_NUMBER_INT);
                    id = json.getLongValue();
                    TokenAnswer.require(id > 0);
                }
                case "suspended_at" -> {
                    suspended = true;
                    json.skipChildren();
                }
                case "token" -> {
                    token = TokenAnswer.secret(json);
                    TokenAnswer.require(json.getTextLength() <= TOKEN_BYTES_MAX);
                }
                case "expires_at" -> {
                    TokenAnswer.require(value == JsonToken.VALUE_STRING);
                    expires = Instant.parse(json.getText());
                }
                case "repository_selection" -> {
                    TokenAnswer.require(value == JsonToken.VALUE_STRING);
                    all = !json.getText().equals("selected");
                }
                case "permissions" -> permissions(json);
                default -> json.skipChildren();
            }
        }

        private void permissions(JsonParser json) throws IOException {
            TokenAnswer.require(json.hasToken(JsonToken.START_OBJECT));
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                TokenAnswer.require(json.nextToken() == JsonToken.VALUE_STRING);
                TokenAnswer.require(
                        WORD.matcher(name).matches() && WORD.matcher(json.getText()).matches());
                permissions.put(name, json.getText());
                TokenAnswer.require(permissions.size() <= PERMISSIONS_MAX);
            }
        }

        void wipe() {
            if (token != null) {
                token.wipe();
            }
        }
    }
}
