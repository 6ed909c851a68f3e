package dev.sallyport.forge;

import dev.sallyport.config.Limits;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.CredentialFields;
import dev.sallyport.http.RequestHead;
import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.Refusal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;

/// What stands against a request to an API by its head alone.
final class ApiForm {
    private static final String AUTHORIZATION = "authorization";

    /// Where clients of GitLab put a token.
    private static final String PRIVATE_TOKEN = "private-token";

    private ApiForm() {}

    static Optional<Ruling.Denied> objection(RequestHead head, Limits.Api limits, Forge forge) {
        return refusal(head, limits, forge).map(Ruling.Denied::of);
    }

    private static Optional<Refusal> refusal(RequestHead head, Limits.Api limits, Forge forge) {
        if (!hasNoCredentialButThePlaceholder(head, forge)) {
            return Optional.of(Refusal.CREDENTIAL_NOT_ALLOWED);
        }
        if (!head.field("content-encoding").orElse("identity").equalsIgnoreCase("identity")) {
            return Optional.of(Refusal.CONTENT_NOT_ALLOWED);
        }
        return head.framing() instanceof BodyFraming.Sized(long bytes)
                        && bytes > limits.requestBytesMax()
                ? Optional.of(Refusal.BODY_TOO_LARGE)
                : Optional.empty();
    }

    /// E15: a token that is not the placeholder is an attacker's, or was stolen. None at all is
    /// fine: whose request it is, the socket says.
    private static boolean hasNoCredentialButThePlaceholder(RequestHead head, Forge forge) {
        boolean others =
                head.fields().keySet().stream()
                        .anyMatch(name -> CredentialFields.has(name) && !isOurs(name, forge));
        return !others
                && head.field(PRIVATE_TOKEN).map(ApiForm::isSame).orElse(true)
                && head.field(AUTHORIZATION).map(ApiForm::isPlaceholder).orElse(true);
    }

    private static boolean isOurs(String name, Forge forge) {
        return name.equals(AUTHORIZATION) || (forge == Forge.GITLAB && name.equals(PRIVATE_TOKEN));
    }

    private static boolean isPlaceholder(String value) {
        int space = value.indexOf(' ');
        if (space < 0) {
            return false;
        }
        String sent = value.substring(space + 1).strip();
        return switch (value.substring(0, space).toLowerCase(Locale.ROOT)) {
            case "token", "bearer" -> isSame(sent);
            case "basic" -> password(sent).filter(ApiForm::isSame).isPresent();
            default -> false;
        };
    }

    private static Optional<String> password(String basic) {
        try {
            String decoded = new String(Base64.getDecoder().decode(basic), StandardCharsets.UTF_8);
            return Optional.of(decoded.substring(decoded.indexOf(':') + 1));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    private static boolean isSame(String sent) {
        return MessageDigest.isEqual(
                sent.getBytes(StandardCharsets.UTF_8),
                ApiHost.PLACEHOLDER.getBytes(StandardCharsets.UTF_8));
    }
}
