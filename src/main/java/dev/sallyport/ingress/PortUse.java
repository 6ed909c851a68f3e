package dev.sallyport.ingress;

import dev.sallyport.policy.SessionId;
import dev.sallyport.relay.Account;
import dev.sallyport.session.PortTraffic;
import java.util.function.Consumer;

/// What passes through one published port, as the record tells it: the first connection at once,
/// then at most a line a minute. It is the person's own port, so nothing waits for a line and
/// nothing is charged to the sandbox.
///
/// Used from all event loops.
final class PortUse {
    private static final long LINE_EVERY_NANOS = 60_000_000_000L;

    private final SessionId session;
    private final int hostPort;
    private final int insidePort;
    private final Consumer<PortTraffic> record;
    private long connections;
    private long bytesIn;
    private long bytesOut;
    private long toldNanos = System.nanoTime() - LINE_EVERY_NANOS;

    PortUse(SessionId session, int hostPort, int insidePort, Consumer<PortTraffic> record) {
        this.session = session;
        this.hostPort = hostPort;
        this.insidePort = insidePort;
        this.record = record;
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
    synchronized void tell() {
        if (connections + bytesIn + bytesOut == 0) {
            return;
        }
        PortTraffic traffic = new PortTraffic(hostPort, insidePort, connections, bytesIn, bytesOut);
        connections = 0;
        bytesIn = 0;
        bytesOut = 0;
        toldNanos = System.nanoTime();
        record.accept(traffic);
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
