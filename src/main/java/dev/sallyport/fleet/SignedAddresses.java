package dev.sallyport.fleet;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Where gateways are, as one of them tells a host, in one line of text:
///
///     sallyport-gateways-1 TIME ADDRESS,ADDRESS SIGNATURE
///
/// The signature is over everything before the last space, by the authority that has certified the
/// gateway. Only the warden has that key, so a gateway process that was taken over cannot send a
/// host to a place of its own.
public final class SignedAddresses {
    private static final int MAX = 32;
    private static final int PARTS = 4;

    private SignedAddresses() {}

    /// What is said of the addresses, so that one cannot be taken for the other.
    public enum Use {
        /// All that share a store, the one that answers first.
        GATEWAYS("sallyport-gateways-1"),

        /// The one that has the session.
        ELSEWHERE("sallyport-elsewhere-1");

        private final String word;

        Use(String word) {
            this.word = word;
        }
    }

    static String sign(PrivateKey authority, Use use, List<String> addresses, Instant now)
            throws GeneralSecurityException {
        String text = use.word + " " + now.toEpochMilli() + " " + String.join(",", addresses);
        return text + " " + PinnedAuthorities.sign(authority, ascii(text));
    }

    /// The addresses, at most 32; empty when none of these authorities has signed the line for this
    /// use, or not in the last minutes.
    ///
    /// @param pinned in PEM
    public static Optional<List<String>> read(
            Use use, String line, List<String> pinned, Instant now) {
        String[] parts = line.split(" ", -1);
        if (parts.length != PARTS || !parts[0].equals(use.word) || !isOf(parts[1], now)) {
            return Optional.empty();
        }
        byte[] text = ascii(line.substring(0, line.lastIndexOf(' ')));
        return pinned.stream().anyMatch(pem -> PinnedAuthorities.isSigned(pem, parts[3], text))
                ? Optional.of(addresses(parts[2]))
                : Optional.empty();
    }

    private static boolean isOf(String millis, Instant now) {
        try {
            Instant time = Instant.ofEpochMilli(Long.parseLong(millis));
            return Duration.between(time, now).abs().compareTo(Hosts.CLOCKS_APART_MAX) <= 0;
        } catch (NumberFormatException _) {
            return false;
        }
    }

    private static List<String> addresses(String text) {
        return Stream.of(text.split(",", -1))
                .filter(EnrolmentCode::isAddress)
                .distinct()
                .limit(MAX)
                .toList();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
