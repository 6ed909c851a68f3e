package dev.sallyport.session;

import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.TcpTarget;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/// A port of the host that leads to a port of a sandbox's own loopback. Written `3000`,
/// `8080:3000`, or with the address of the host before it, `0.0.0.0:8080:3000` or `[::]:8080:3000`.
///
/// @param address absent for both loopback addresses of the host, 127.0.0.1 and ::1
/// @param hostPort where the host listens
/// @param insidePort where the sandbox's server does
public record PublishedPort(Optional<String> address, int hostPort, int insidePort) {
    /// The loopback address where the page of `sallyport ui` is, and no published port, not even
    /// one on all addresses: what a sandbox's server has left in a browser (a service worker, files
    /// in its cache) would otherwise come with the page that has the same address and port later.
    public static final String NEVER = "127.47.11.1";

    private static final List<String> LOOPBACK = List.of("127.0.0.1", "::1");

    public static PublishedPort parse(String text) throws MalformedNameException {
        int last = text.lastIndexOf(':');
        int inside = TcpTarget.port(text.substring(last + 1));
        if (last < 0) {
            return new PublishedPort(Optional.empty(), inside, inside);
        }
        String rest = text.substring(0, last);
        int before = rest.endsWith("]") ? -1 : rest.lastIndexOf(':');
        int host = TcpTarget.port(rest.substring(before + 1));
        return new PublishedPort(
                before < 0 ? Optional.empty() : Optional.of(address(rest.substring(0, before))),
                host,
                inside);
    }

    /// One spelling for each address, so that two entries for one socket look the same.
    private static String address(String text) throws MalformedNameException {
        boolean six = text.startsWith("[") && text.endsWith("]");
        String literal = six ? text.substring(1, text.length() - 1) : text;
        try {
            InetAddress address = InetAddress.ofLiteral(literal);
            String canonical = address.getHostAddress();
            boolean plain = six ? canonical.contains(":") : canonical.equals(literal);
            if (plain && canonical.indexOf('%') < 0) {
                return canonical;
            }
        } catch (IllegalArgumentException e) {
            // Said below.
        }
        throw new MalformedNameException("\"" + text + "\" is not an address");
    }

    /// Where the host listens.
    public List<String> addresses() {
        return address.map(List::of).orElse(LOOPBACK);
    }

    /// Whether other machines may reach it.
    public boolean isOpen() {
        return addresses().stream()
                .map(InetAddress::ofLiteral)
                .anyMatch(found -> !found.isLoopbackAddress());
    }

    /// As it is parsed.
    @Override
    public String toString() {
        String where =
                address.map(host -> host.contains(":") ? "[" + host + "]:" : host + ":").orElse("");
        return where + hostPort + ":" + insidePort;
    }
}
