package dev.sallyport.warden;

import dev.sallyport.channel.ListenerKind;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.session.PublishedPort;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Turns what a person asked to be published into ports, or refuses it.
record PortRequests(Patron patron) {
    private static final int COUNT_MAX = 32;

    /// Below, a port stands for a service of the machine's (RFC 6335), which root alone may offer.
    private static final int UNPRIVILEGED = 1_024;

    List<PublishedPort> parse(List<String> asked) throws OperationException {
        List<PublishedPort> ports = new ArrayList<>();
        for (String text : asked) {
            PublishedPort port = port(text);
            requireUsable(port);
            if (!ports.contains(port)) {
                ports.add(port);
            }
        }
        requireFew(ports);
        return List.copyOf(ports);
    }

    List<PublishedPort> more(List<PublishedPort> present, List<String> asked)
            throws OperationException {
        List<PublishedPort> all = new ArrayList<>(present);
        parse(asked).stream().filter(port -> !present.contains(port)).forEach(all::add);
        requireFew(all);
        return List.copyOf(all);
    }

    /// @param asked each as it was published, or the port of the host alone
    static List<PublishedPort> fewer(List<PublishedPort> present, List<String> asked)
            throws OperationException {
        List<PublishedPort> left = new ArrayList<>(present);
        for (String text : asked) {
            PublishedPort meant = port(text);
            boolean found =
                    left.removeIf(
                            port ->
                                    port.equals(meant)
                                            || (text.indexOf(':') < 0
                                                    && port.hostPort() == meant.hostPort()));
            if (!found) {
                throw OperationException.notFound(
                        "Port " + text + " is not published.",
                        "List them with: sallyport ports NAME");
            }
        }
        return List.copyOf(left);
    }

    private static PublishedPort port(String text) throws OperationException {
        try {
            return PublishedPort.parse(text);
        } catch (MalformedNameException e) {
            throw OperationException.invalid(
                    "Not a port: " + e.getMessage() + ".",
                    "Use 3000, 8080:3000 (host:sandbox) or 0.0.0.0:8080:3000.");
        }
    }

    /// A published port never leads to the gateway: whoever can connect to the host would have the
    /// sandbox's rights there.
    private void requireUsable(PublishedPort port) throws OperationException {
        boolean ours =
                Arrays.stream(ListenerKind.values())
                        .anyMatch(kind -> kind.port() == port.insidePort());
        if (ours) {
            throw OperationException.invalid(
                    "Port " + port.insidePort() + " in a sandbox is the gateway's own.",
                    "Let the server inside listen on another port.");
        }
        boolean mayBindAll = patron.guest().isEmpty() || patron.person().isRoot();
        if (port.hostPort() < UNPRIVILEGED && !mayBindAll) {
            throw OperationException.invalid(
                    "Ports below " + UNPRIVILEGED + " of the host are root's.",
                    "Publish it on another port: 8080:" + port.insidePort());
        }
    }

    private static void requireFew(List<PublishedPort> ports) throws OperationException {
        if (ports.size() > COUNT_MAX) {
            throw OperationException.invalid(
                    "A sandbox can have at most " + COUNT_MAX + " published ports.",
                    "Remove one with: sallyport ports NAME --remove PORT");
        }
    }
}
