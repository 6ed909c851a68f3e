package dev.sallyport.fleet;

import dev.sallyport.credential.Ed25519Key;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What the sidecar of a pod sends to be enrolled (ADR 40), as one line of text:
///
///     sallyport-pod-1.AUDIENCE.PUBLICKEY.TOKEN.SIGNATURE
///
/// The token is the projected one of the pod's service account, which the cluster's API vouches
/// for. The signature (Ed25519) is over everything before its dot, by the key that is to be the
/// pod's: so nobody can put another key beside the token on the way, or make a key the pod's that
/// is not in the hands of whoever sent the line.
public final class PodEnrolment {
    /// Of a token; one of a cluster has about a thousand characters.
    static final int TOKEN_CHARS_MAX = 8_192;

    private static final String WORD = "sallyport-pod-1";
    private static final String PART = "[A-Za-z0-9_-]+";
    private static final Pattern TOKEN = Pattern.compile(PART + "\\." + PART + "\\." + PART);
    private static final Pattern FORM =
            Pattern.compile(
                    "(%s\\.([0-9a-f]{64})\\.([0-9a-f]{64})\\.(%s))\\.([A-Za-z0-9_-]{86})"
                            .formatted(WORD, TOKEN.pattern()));

    private final String audience;
    private final String publicKeyHex;
    private final String token;

    private PodEnrolment(String audience, String publicKeyHex, String token) {
        this.audience = audience;
        this.publicKeyHex = publicKeyHex;
        this.token = token;
    }

    /// The line that a sidecar sends.
    ///
    /// @param audience of an authority that is pinned
    /// @param key made for this gateway
    /// @param token a JWT
    /// @throws IllegalArgumentException when that is no token; it is not repeated
    public static String request(String audience, HostKey key, String token) {
        if (token.length() > TOKEN_CHARS_MAX || !TOKEN.matcher(token).matches()) {
            throw new IllegalArgumentException("this is not the token of a service account");
        }
        String text =
                String.join(".", WORD, audience, HexFormat.of().formatHex(key.publicKey()), token);
        byte[] signature = key.sign(text.getBytes(StandardCharsets.US_ASCII));
        return text + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(signature);
    }

    /// Whether a line says that it is one; nothing is verified.
    public static boolean isOne(String line) {
        return line.startsWith(WORD + ".");
    }

    /// Whether it has the form, and was signed with the key in it. For a process that only keeps
    /// strangers away: whose token it is, the cluster says.
    public static boolean looksSigned(String line) {
        try {
            var _ = parse(line);
            return true;
        } catch (RefusedException _) {
            return false;
        }
    }

    /// Takes the line apart, and verifies its signature.
    public static PodEnrolment parse(String line) throws RefusedException {
        Matcher part = FORM.matcher(line);
        if (line.length() > SignedRequest.CHARS_MAX
                || !part.matches()
                || part.group(4).length() > TOKEN_CHARS_MAX) {
            throw new RefusedException(FleetRefusal.MALFORMED);
        }
        byte[] publicKey = HexFormat.of().parseHex(part.group(3));
        if (!Ed25519Key.isPublicKey(publicKey)) {
            throw new RefusedException(FleetRefusal.MALFORMED);
        }
        if (!new SignedRequest.Signed(part.group(1), part.group(5)).isBy(publicKey)) {
            throw new RefusedException(FleetRefusal.BAD_SIGNATURE);
        }
        return new PodEnrolment(part.group(2), part.group(3), part.group(4));
    }

    String audience() {
        return audience;
    }

    String publicKeyHex() {
        return publicKeyHex;
    }

    /// To be shown to the cluster that made it, and to nobody else.
    public String token() {
        return token;
    }

    @Override
    public String toString() {
        return "PodEnrolment[redacted]";
    }
}
