package dev.sallyport.credential;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a token endpoint answered (RFC 6749, sections 5.1 and 5.2). It comes from the network: an
/// object without repeated members, of bounded size and depth; members that nobody asked for are
/// skipped.
///
/// @param refresh absent when the one that was sent stays good
/// @param expires when the access token does, if the answer or the token says so
public record TokenAnswer(Secret access, Optional<Secret> refresh, Optional<Instant> expires) {
    /// Of an answer as a whole.
    public static final int BYTES_MAX = 64 * 1_024;

    private static final int DEPTH_MAX = 8;
    private static final int LIFE_DIGITS_MAX = 10;
    private static final int NUMBER_CHARACTERS_MAX = 64;
    private static final int NAME_CHARACTERS_MAX = 256;
    private static final Duration LIFE_MAX = Duration.ofDays(3_660);
    private static final Pattern ERROR = Pattern.compile("[a-z][a-z0-9_]{0,39}");

    private static final JsonFactory JSON = json(DEPTH_MAX, BYTES_MAX);

    /// The answer is none that can be used. Its words are not repeated: they may hold a token.
    public static final class BadTokenAnswerException extends Exception {
        private static final long serialVersionUID = 1L;

        BadTokenAnswerException() {
            super("not an answer with a token");
        }
    }

    /// An answer that grants a token. The caller wipes the bytes.
    ///
    /// @param now when it came
    public static TokenAnswer parse(byte[] bytes, Instant now) throws BadTokenAnswerException {
        Reading reading = new Reading();
        try (JsonParser json = JSON.createParser(bytes)) {
            object(json, reading::member);
        } catch (IOException | IllegalArgumentException _) {
            reading.wipe();
            throw new BadTokenAnswerException();
        }
        Secret access = reading.access;
        if (access == null || !reading.isGranted()) {
            reading.wipe();
            throw new BadTokenAnswerException();
        }
        Optional<Instant> expires =
                reading.seconds > 0
                        ? Optional.of(now.plusSeconds(reading.seconds))
                        : TokenClaims.expiry(access);
        return new TokenAnswer(access, Optional.ofNullable(reading.refresh), expires);
    }

    /// The code of an answer that refuses, such as `invalid_grant`; empty when it is no such
    /// answer. Some providers have an object in its place.
    public static Optional<String> error(byte[] bytes) {
        Reading reading = new Reading();
        try (JsonParser json = JSON.createParser(bytes)) {
            object(json, reading::member);
            return Optional.ofNullable(reading.error);
        } catch (IOException | IllegalArgumentException _) {
            return Optional.empty();
        } finally {
            reading.wipe();
        }
    }

    /// How documents with tokens are read: no repeated members, within limits, and no words of
    /// theirs in an exception.
    static JsonFactory json(int depthMax, int stringCharactersMax) {
        return JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                .streamReadConstraints(
                        StreamReadConstraints.builder()
                                .maxNestingDepth(depthMax)
                                .maxNumberLength(NUMBER_CHARACTERS_MAX)
                                .maxStringLength(stringCharactersMax)
                                .maxNameLength(NAME_CHARACTERS_MAX)
                                .build())
                .build();
    }

    /// A token, which is printable and long enough to be found where it must not be.
    static Secret secret(JsonParser json) throws IOException {
        require(json.hasToken(JsonToken.VALUE_STRING));
        int length = json.getTextLength();
        char[] chars = json.getTextCharacters();
        int offset = json.getTextOffset();
        byte[] bytes = new byte[length];
        try {
            for (int i = 0; i < length; i++) {
                char c = chars[offset + i];
                require(c > 0x20 && c < 0x7f);
                bytes[i] = (byte) c;
            }
            Secret secret = Secret.of(bytes);
            require(secret.canBeFound());
            return secret;
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    /// What is done with one member of an object.
    interface Member {
        void read(String name, JsonParser json) throws IOException;
    }

    /// Reads a whole document, which is an object.
    static void object(JsonParser json, Member member) throws IOException {
        require(json.nextToken() == JsonToken.START_OBJECT);
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            member.read(json.currentName(), json);
        }
        require(json.nextToken() == null);
    }

    static void require(boolean holds) throws IOException {
        if (!holds) {
            throw new IOException("not as expected");
        }
    }

    private static final class Reading {
        private @Nullable Secret access;
        private @Nullable Secret refresh;
        private @Nullable String error;
        private long seconds;
        private boolean otherType;

        boolean isGranted() {
            return error == null && !otherType;
        }

        private void member(String name, JsonParser json) throws IOException {
            JsonToken value = json.nextToken();
            if (value == JsonToken.VALUE_NULL) {
                return;
            }
            switch (name) {
                case "access_token" -> access = secret(json);
                case "refresh_token" -> refresh = secret(json);
                case "expires_in" -> seconds = seconds(json);
                case "token_type" -> {
                    require(value == JsonToken.VALUE_STRING);
                    otherType = !json.getText().equalsIgnoreCase("bearer");
                }
                case "error" -> error = value == JsonToken.START_OBJECT ? inner(json) : code(json);
                default -> json.skipChildren();
            }
        }

        /// A number; some write it as text.
        private static long seconds(JsonParser json) throws IOException {
            require(
                    json.hasToken(JsonToken.VALUE_NUMBER_INT)
                            || json.hasToken(JsonToken.VALUE_STRING));
            String text = json.getText();
            require(text.matches("[0-9]{1," + LIFE_DIGITS_MAX + "}"));
            long seconds = Long.parseLong(text);
            require(seconds <= LIFE_MAX.toSeconds());
            return seconds;
        }

        private static String code(JsonParser json) throws IOException {
            require(json.hasToken(JsonToken.VALUE_STRING));
            return ERROR.matcher(json.getText()).matches() ? json.getText() : "other";
        }

        private static String inner(JsonParser json) throws IOException {
            String found = "other";
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken value = json.nextToken();
                boolean says =
                        name.equals("code") || (name.equals("type") && found.equals("other"));
                if (says && value == JsonToken.VALUE_STRING) {
                    found = code(json);
                }
                json.skipChildren();
            }
            return found;
        }

        void wipe() {
            if (access != null) {
                access.wipe();
            }
            if (refresh != null) {
                refresh.wipe();
            }
        }
    }
}
