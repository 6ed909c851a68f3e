package dev.sallyport.warden;

import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where the port for other machines is opened: `:8443` for all addresses of this machine, or
/// `192.0.2.1:8443`, `[2001:db8::1]:8443`.
///
/// @param address empty for all
record ListenAddress(Optional<String> address, int port) {
    private static final Pattern FORM =
            Pattern.compile("(?:\\[([0-9a-fA-F:]{2,39})\\]|([0-9.]{7,15}))?:([1-9][0-9]{0,4})");
    private static final int PORT_MAX = 65_535;
    private static final int BACKLOG_CONNECTIONS = 1_024;

    static ListenAddress parse(String text) throws OperationException {
        Matcher parts = FORM.matcher(text);
        if (parts.matches() && Integer.parseInt(parts.group(3)) <= PORT_MAX) {
            Optional<String> address =
                    Optional.ofNullable(parts.group(1))
                            .or(() -> Optional.ofNullable(parts.group(2)));
            try {
                address.ifPresent(InetAddress::ofLiteral);
                return new ListenAddress(address, Integer.parseInt(parts.group(3)));
            } catch (IllegalArgumentException e) {
                // Answered below.
            }
        }
        throw OperationException.invalid(
                "Not an address to listen on.", "Write :8443, or ADDRESS:8443 for one address.");
    }

    /// How other machines find it, as long as nobody says otherwise: by the name of this machine.
    String reachedAt() throws IOException {
        String host = address.orElse("");
        if (host.isEmpty()) {
            host = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        }
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /// A listening socket.
    FileDescriptor open() throws OperationException {
        try {
            return HostPort.listen(address.orElse("::"), port, BACKLOG_CONNECTIONS);
        } catch (IOException e) {
            if (address.isEmpty()) {
                return onIpv4();
            }
            throw refused(e);
        }
    }

    /// A machine without IPv6 has no `::`.
    private FileDescriptor onIpv4() throws OperationException {
        try {
            return HostPort.listen("0.0.0.0", port, BACKLOG_CONNECTIONS);
        } catch (IOException e) {
            throw refused(e);
        }
    }

    private OperationException refused(IOException e) {
        return OperationException.conflict(
                "Port " + port + " cannot be opened: " + e.getMessage() + ".",
                "Choose another port or address.");
    }
}
