package dev.sallyport.config;

import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The `dial:` of a host: an address and a port to connect to instead of what its name resolves to.
public final class DialAddress {
    private static final int PORT_MAX = 65_535;

    /// Addresses in the one spelling that no two programs read differently (E7).
    private static final Pattern FORM =
            Pattern.compile(
                    "(?:((?:(?:0|[1-9][0-9]{0,2})\\.){3}(?:0|[1-9][0-9]{0,2}))|\\[([0-9a-f:]{2,39})\\]):([1-9][0-9]{0,4})");

    private DialAddress() {}

    static Optional<String> read(YamlMapping entry) throws ConfigException {
        return entry.text(
                "dial",
                DialAddress::isDial,
                "is not an address and port.",
                "Write it as \"10.0.0.5:8443\" or \"[fd00::5]:8443\", without leading zeros.");
    }

    /// An address and a port as [#isDial] has them.
    public static String of(InetAddress address, int port) {
        String text = address.getHostAddress();
        return (text.contains(":") ? "[" + text + "]" : text) + ":" + port;
    }

    /// Whether this is an address and a port, as in `10.0.0.5:8443` or `[fd00::5]:8443`.
    public static boolean isDial(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches() || Integer.parseInt(matcher.group(3)) > PORT_MAX) {
            return false;
        }
        try {
            String ipv6 = matcher.group(2);
            InetAddress.ofLiteral(ipv6 == null ? matcher.group(1) : ipv6);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
