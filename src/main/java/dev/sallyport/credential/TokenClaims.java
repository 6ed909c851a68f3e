package dev.sallyport.credential;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// What a token that is a JWT says of itself (RFC 7519). Its signature is not checked: nothing is
/// permitted because of it, and a wrong one harms only whoever uses the token.
public final class TokenClaims {
    private static final int DEPTH_MAX = 8;

    /// What can stand in a header field or within quotes without meaning anything else there.
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._:@-]{1,128}");

    private static final JsonFactory JSON = TokenAnswer.json(DEPTH_MAX, Secret.BYTES_MAX);

    private TokenClaims() {}

    private interface Reading<T> {
        T read(JsonParser value) throws IOException;
    }

    /// When the token says that it expires (section 4.1.4). A wrong one only means that it is
    /// renewed too early, or when it is refused.
    public static Optional<Instant> expiry(Secret token) {
        return read(token, List.of("exp"), JsonToken.VALUE_NUMBER_INT, JsonParser::getLongValue)
                .flatMap(TokenClaims::instant);
    }

    private static Optional<Instant> instant(long seconds) {
        try {
            return Optional.of(Instant.ofEpochSecond(seconds));
        } catch (DateTimeException _) {
            return Optional.empty();
        }
    }

    /// A name or id in the token; empty when it is not there or is more than that.
    ///
    /// @param path the outermost member first
    public static Optional<String> name(Secret token, List<String> path) {
        return read(token, path, JsonToken.VALUE_STRING, JsonParser::getText)
                .filter(TokenClaims::isName);
    }

    /// Whether the text is a name or an id, and no more than that.
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    private static <T> Optional<T> read(
            Secret token, List<String> path, JsonToken kind, Reading<T> reading) {
        String[] parts = token.text().split("\\.", -1);
        if (parts.length != 3) {
            return Optional.empty();
        }
        try (JsonParser json = JSON.createParser(Base64.getUrlDecoder().decode(parts[1]))) {
            for (String name : path) {
                if (json.nextToken() != JsonToken.START_OBJECT || !enter(json, name)) {
                    return Optional.empty();
                }
            }
            return json.nextToken() == kind ? Optional.of(reading.read(json)) : Optional.empty();
        } catch (IOException | IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    /// Goes to the member with this name; its value is the next token.
    private static boolean enter(JsonParser json, String name) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            if (json.currentName().equals(name)) {
                return true;
            }
            json.nextToken();
            json.skipChildren();
        }
        return false;
    }
}
