package dev.sallyport.fleet;

import dev.sallyport.credential.Ed25519Key;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a host asks a gateway's machine for, as one line of text:
///
///     sallyport-request-1.AUDIENCE.HOST.OPERATION.TIME.NONCE.BODY.SIGNATURE
///
/// The signature (Ed25519) is over everything before its dot. The first word keeps it from being
/// taken for anything else that is signed, the audience from being used at another gateway, time
/// and nonce from being used again.
public final class SignedRequest {
    /// Of the whole line.
    public static final int CHARS_MAX = 64 * 1024;

    private static final int NONCE_BYTES = 16;
    private static final Pattern FORM =
            Pattern.compile(
                    "(sallyport-request-1\\.([0-9a-f]{64})\\.("
                            + HostId.FORM
                            + ")\\.([a-z][a-z0-9-]{0,31})\\.([1-9][0-9]{0,14})\\.([0-9a-f]{32})"
                            + "\\.([A-Za-z0-9_-]*+))\\.([A-Za-z0-9_-]{86})");
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
    private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

    private SignedRequest() {}

    /// A line that was taken apart.
    ///
    /// @param audience see [FleetAuthority#audience]
    /// @param body in Base64 any bytes, JSON by convention; not parsed here
    /// @param signed what the signature is over
    record Parts(
            String audience,
            HostId host,
            String operation,
            Instant time,
            String nonce,
            String body,
            Signed signed) {
        byte[] bodyBytes() {
            return DECODER.decode(body);
        }
    }

    /// A text and the signature of it, in Base64.
    record Signed(String text, String signature) {
        boolean isBy(byte[] publicKey) {
            byte[] ascii = text.getBytes(StandardCharsets.US_ASCII);
            return Ed25519Key.verifies(publicKey, ascii, DECODER.decode(signature));
        }
    }

    /// The line that a host sends.
    ///
    /// @param audience of an authority that the host has pinned
    /// @param operation lower-case letters, digits and hyphens, 32 at most
    /// @throws IllegalArgumentException when it would be too long, or is not of that form
    public static String sign(
            HostKey key, String audience, String operation, byte[] json, Instant now) {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        String text =
                String.join(
                        ".",
                        "sallyport-request-1",
                        audience,
                        key.id().value(),
                        operation,
                        Long.toString(now.toEpochMilli()),
                        HexFormat.of().formatHex(nonce),
                        ENCODER.encodeToString(json));
        byte[] signature = key.sign(text.getBytes(StandardCharsets.US_ASCII));
        String line = text + "." + ENCODER.encodeToString(signature);
        if (line.length() > CHARS_MAX || !FORM.matcher(line).matches()) {
            throw new IllegalArgumentException("this is not a request that can be sent");
        }
        return line;
    }

    /// Takes the line apart; nothing is verified yet.
    static Parts parse(String line) throws RefusedException {
        if (line.length() > CHARS_MAX) {
            throw new RefusedException(FleetRefusal.MALFORMED);
        }
        Matcher part = FORM.matcher(line);
        if (!part.matches()) {
            throw new RefusedException(FleetRefusal.MALFORMED);
        }
        return new Parts(
                part.group(2),
                new HostId(part.group(3)),
                part.group(4),
                Instant.ofEpochMilli(Long.parseLong(part.group(5))),
                part.group(6),
                part.group(7),
                new Signed(part.group(1), part.group(8)));
    }

    /// Whether one of these hosts signed it, whenever and for whomever. For a process that only
    /// keeps strangers away: [Hosts#verify] decides.
    ///
    /// @param publicKeys see [Hosts#publicKeys]
    public static boolean looksSigned(String line, Collection<byte[]> publicKeys) {
        try {
            Parts request = parse(line);
            return publicKeys.stream()
                    .filter(key -> HostId.of(key).equals(request.host()))
                    .anyMatch(request.signed()::isBy);
        } catch (RefusedException _) {
            return false;
        }
    }
}
