package dev.sallyport.warden;

import dev.sallyport.audit.Stamp;
import dev.sallyport.channel.Message;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.PortTraffic;
import dev.sallyport.session.Session;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/// Writes down what the sidecar processes of one session say of its published ports. They may be
/// compromised: they can speak for their own session and its ports only, and not fill the log. Used
/// on one thread.
final class PortRecord {
    /// An honest one writes a line a minute for each socket, of which a sandbox has up to 64, and
    /// one when a port is removed or the session is over.
    private static final int LINES_MAX = 600;

    private static final Duration SPAN = Duration.ofMinutes(1);

    private final SessionId session;
    private final GatewayLink link;
    private final Ledger ledger;
    private final LongSupplier nanos;
    private long sinceNanos;
    private int lines;

    /// @param nanos a clock like [System#nanoTime]
    PortRecord(SessionId session, GatewayLink link, Ledger ledger, LongSupplier nanos) {
        this.session = session;
        this.link = link;
        this.ledger = ledger;
        this.nanos = nanos;
        this.sinceNanos = nanos.getAsLong();
    }

    /// Whether it can be true. What it says of other ports is left out, which may have been there
    /// until a moment ago. After the end of the session there is one line more for each socket, a
    /// moment later none.
    boolean write(Message.PortUsed used) {
        if (!used.session().equals(session.value()) || !hasRoom()) {
            return false;
        }
        try {
            PortTraffic traffic =
                    new PortTraffic(
                            used.hostPort(),
                            used.insidePort(),
                            used.connections(),
                            used.bytesIn(),
                            used.bytesOut());
            List<Session> known = link.holders(session.value());
            if (!known.isEmpty() && isPublished(known, used) && mayBeWritten()) {
                Stamp stamp = Ledger.stamp(link.session(session).orElse(known.getLast()));
                var _ = ledger.append(List.of(traffic.event(session)), _ -> stamp);
            }
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /// Whether the session has such a port, or had it when this was sent.
    private boolean isPublished(List<Session> known, Message.PortUsed used) {
        return known.stream()
                        .flatMap(one -> one.published().stream())
                        .anyMatch(port -> isOf(used, port.hostPort(), port.insidePort()))
                || link.ports(session).stream()
                        .flatMap(open -> open.inward().keySet().stream())
                        .anyMatch(port -> isOf(used, port.hostPort(), port.insidePort()));
    }

    private static boolean isOf(Message.PortUsed used, int hostPort, int insidePort) {
        return used.hostPort() == hostPort && used.insidePort() == insidePort;
    }

    private boolean mayBeWritten() {
        return link.isAttached(session.value())
                ? link.mayServe(session.value())
                : link.takeLastWord(session.value(), PortTraffic.KIND);
    }

    private boolean hasRoom() {
        long now = nanos.getAsLong();
        if (now - sinceNanos >= SPAN.toNanos()) {
            sinceNanos = now;
            lines = 0;
        }
        return lines++ < LINES_MAX;
    }
}
