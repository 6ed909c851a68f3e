package dev.sallyport.carry;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a program in a sandbox has dialled, as it is written between the machines: an address of
/// the loopback network and a port, each in the one way in which they are usually written.
final class DialledAddress {
    private static final int PORT_MAX = 65_535;
    private static final int OCTET_MAX = 255;
    private static final String OCTET = "(0|[1-9][0-9]{0,2})";
    private static final Pattern FORM =
            Pattern.compile(
                    "127\\." + OCTET + "\\." + OCTET + "\\." + OCTET + ":([1-9][0-9]{0,4})");

    private static final int LENGTH_MAX = "127.255.255.255:65535".length();

    private DialledAddress() {}

    static Optional<InetSocketAddress> parse(CharSequence text) {
        if (text.length() > LENGTH_MAX) {
            return Optional.empty();
        }
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        for (int octet = 1; octet <= 3; octet++) {
            if (Integer.parseInt(form.group(octet)) > OCTET_MAX) {
                return Optional.empty();
            }
        }
        int port = Integer.parseInt(form.group(4));
        String address = text.subSequence(0, form.start(4) - 1).toString();
        return port > PORT_MAX
                ? Optional.empty()
                : Optional.of(new InetSocketAddress(InetAddress.ofLiteral(address), port));
    }

    /// What [#parse] reads. An address outside of the loopback network is refused at the other end.
    static String format(InetSocketAddress dialled) {
        return dialled.getAddress().getHostAddress() + ":" + dialled.getPort();
    }
}
