package dev.sallyport.ingress;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.policy.SessionId;
import dev.sallyport.relay.Account;
import java.util.Map;

/// What passes through one published port, as the record tells it: the first connection at once,
/// then at most a line a minute. It is the person's own port, so nothing waits for a line and
/// nothing is charged to the sandbox.
///
/// Used from all event loops.
public final class PortUse {
    private static final long LINE_EVERY_NANOS = 60_000_000_000L;

    private final SessionId session;
    private final int hostPort;
    private final int insidePort;
    private final Recorder recorder;
    private long connections;
    private long bytesIn;
    private long bytesOut;
    private long toldNanos = System.nanoTime() - LINE_EVERY_NANOS;

    public PortUse(SessionId session, int hostPort, int insidePort, Recorder recorder) {
        this.session = session;
        this.hostPort = hostPort;
        this.insidePort = insidePort;
        this.recorder = recorder;
    }

    int insidePort() {
        return insidePort;
    }

    SessionId session() {
        return session;
    }

    synchronized void connected() {
        connections++;
        tellIfDue();
    }

    private synchronized boolean moved(long in, long out) {
        bytesIn += in;
        bytesOut += out;
        return true;
    }

    private synchronized void tellIfDue() {
        if (System.nanoTime() - toldNanos >= LINE_EVERY_NANOS) {
            tell();
        }
    }

    /// Writes what has not been told yet.
    public synchronized void tell() {
        if (connections + bytesIn + bytesOut == 0) {
            return;
        }
        Map<String, String> detail =
                Map.of(
                        "host-port", Integer.toString(hostPort),
                        "inside-port", Integer.toString(insidePort),
                        "connections", Long.toString(connections),
                        "bytes-in", Long.toString(bytesIn),
                        "bytes-out", Long.toString(bytesOut));
        connections = 0;
        bytesIn = 0;
        bytesOut = 0;
        toldNanos = System.nanoTime();
        var _ = recorder.record(new AuditEvent("port.used", session.value(), "", detail));
    }

    /// One connection of it.
    Account account() {
        return new Account() {
            @Override
            public boolean up(long bytes) {
                return moved(0, bytes);
            }

            @Override
            public boolean down(long bytes) {
                return moved(bytes, 0);
            }

            @Override
            public void report() {
                tellIfDue();
            }

            @Override
            public void over(boolean whole) {
                tellIfDue();
            }
        };
    }
}
