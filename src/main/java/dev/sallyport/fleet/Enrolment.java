package dev.sallyport.fleet;

import dev.sallyport.credential.Ed25519Key;
import dev.sallyport.credential.Secret;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a host sends to be enrolled, as one line of text:
///
///     sallyport-enrolment-1.CODE.AUDIENCE.PUBLICKEY.MAC
///
/// The MAC (HMAC with SHA-256) is over everything before its dot and the host's name, with a key
/// that is derived from the code's secret. So only who has the code can say which key is the
/// host's, and the gateway's machine gives it no name but the one that the code was made for.
public final class Enrolment {
    private static final Pattern FORM =
            Pattern.compile(
                    "(sallyport-enrolment-1\\.([0-9a-f]{16})\\.([0-9a-f]{64})\\.([0-9a-f]{64}))"
                            + "\\.([0-9a-f]{64})");

    private Enrolment() {}

    /// The line that a host sends.
    ///
    /// @param key made for this gateway
    public static String request(EnrolmentCode code, HostKey key) {
        String text =
                String.join(
                        ".",
                        "sallyport-enrolment-1",
                        code.id(),
                        code.audience(),
                        HexFormat.of().formatHex(key.publicKey()));
        Secret macKey = EnrolmentCode.macKey(code.id(), code.secret());
        return text + "." + mac(macKey, text, code.hostName());
    }

    private static String mac(Secret key, String text, String hostName) {
        return key.hmac((text + "." + hostName).getBytes(StandardCharsets.US_ASCII));
    }

    /// Which code a line says that it was made with. For a process that only keeps strangers away,
    /// who know no code that is open.
    public static Optional<String> codeId(String line) {
        Matcher part = FORM.matcher(line);
        return part.matches() ? Optional.of(part.group(2)) : Optional.empty();
    }

    /// A line that was taken apart.
    record Parts(String codeId, String audience, String publicKeyHex, String text, String mac) {
        boolean isMadeWith(Secret macKey, String hostName) {
            return MessageDigest.isEqual(
                    mac.getBytes(StandardCharsets.US_ASCII),
                    Enrolment.mac(macKey, text, hostName).getBytes(StandardCharsets.US_ASCII));
        }
    }

    /// Takes the line apart; nothing is verified yet.
    static Parts parse(String line) throws RefusedException {
        Matcher part = FORM.matcher(line);
        if (!part.matches()) {
            throw new RefusedException(FleetRefusal.MALFORMED);
        }
        if (!Ed25519Key.isPublicKey(HexFormat.of().parseHex(part.group(4)))) {
            throw new RefusedException(FleetRefusal.MALFORMED);
        }
        return new Parts(part.group(2), part.group(3), part.group(4), part.group(1), part.group(5));
    }
}
