package dev.sallyport.egress;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import java.util.Optional;
import java.util.regex.Pattern;

/// Host and port as `CONNECT`, absolute-form targets and Host write them. There is one spelling:
/// user information, brackets, addresses in any notation, escapes, a trailing dot and ports that
/// are empty, zero, too large or begin with a zero are refused.
record HostAndPort(HostName host, int port) {
    private static final int PORT_MAX = 65_535;
    private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");

    /// Empty for what is none.
    static Optional<HostAndPort> parse(String text, int portWhenNoneIsWritten) {
        int colon = text.indexOf(':');
        return colon < 0
                ? host(text).map(host -> new HostAndPort(host, portWhenNoneIsWritten))
                : parseWithPort(text);
    }

    /// For where the port must be written (RFC 9112, section 3.2.3).
    static Optional<HostAndPort> parseWithPort(String text) {
        int colon = text.indexOf(':');
        if (colon < 0 || !PORT.matcher(text.substring(colon + 1)).matches()) {
            return Optional.empty();
        }
        int port = Integer.parseInt(text.substring(colon + 1));
        return port > PORT_MAX
                ? Optional.empty()
                : host(text.substring(0, colon)).map(host -> new HostAndPort(host, port));
    }

    private static Optional<HostName> host(String text) {
        try {
            return Optional.of(HostName.parse(AsciiCase.lower(text)));
        } catch (MalformedNameException e) {
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
