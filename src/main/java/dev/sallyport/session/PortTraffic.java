package dev.sallyport.session;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.policy.SessionId;
import java.util.Map;

/// What has passed through a published port since the last time that this was told.
///
/// @param bytesIn to the sandbox
/// @param bytesOut from it
public record PortTraffic(
        int hostPort, int insidePort, long connections, long bytesIn, long bytesOut) {
    /// Of the event.
    public static final String KIND = "port.used";

    private static final int PORT_MAX = 65_535;

    /// @throws IllegalArgumentException for what no port can have
    public PortTraffic {
        if (!isPort(hostPort)
                || !isPort(insidePort)
                || Math.min(connections, Math.min(bytesIn, bytesOut)) < 0) {
            throw new IllegalArgumentException("not the traffic of a published port");
        }
    }

    private static boolean isPort(int number) {
        return number > 0 && number <= PORT_MAX;
    }

    /// As the record has it.
    public AuditEvent event(SessionId session) {
        return new AuditEvent(
                KIND,
                session.value(),
                "",
                Map.of(
                        "host-port", Integer.toString(hostPort),
                        "inside-port", Integer.toString(insidePort),
                        "connections", Long.toString(connections),
                        "bytes-in", Long.toString(bytesIn),
                        "bytes-out", Long.toString(bytesOut)));
    }
}
