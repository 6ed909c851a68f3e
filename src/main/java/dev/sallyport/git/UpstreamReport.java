package dev.sallyport.git;

import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/// What upstream's `report-status` says became of a push, as far as it can be told: how many refs
/// it took and how many it refused.
final class UpstreamReport {
    private static final int BYTES_MAX = 1 << 20;

    private final PktReader nested = new PktReader(Refusal.UPSTREAM_MISBEHAVED);
    private int bytes;
    private int taken;
    private int refused;
    private boolean unpacked;
    private boolean unclear;

    /// A piece of the report inside a side band, cut anywhere.
    void part(byte[] payload, int from) {
        bytes += payload.length - from;
        if (unclear || bytes > BYTES_MAX) {
            unclear = true;
            return;
        }
        nested.offer(Unpooled.copiedBuffer(payload, from, payload.length - from));
        try {
            PktLine next;
            while ((next = nested.poll()) != null) {
                if (next instanceof PktLine.Data data) {
                    line(data.payload());
                }
            }
        } catch (RefusedException _) {
            unclear = true;
        }
    }

    /// One line of it.
    void line(byte[] payload) {
        String line = new String(payload, StandardCharsets.UTF_8).strip();
        if (line.equals("unpack ok")) {
            unpacked = true;
        } else if (line.startsWith("ok ")) {
            taken++;
        } else if (line.startsWith("ng ")) {
            refused++;
        }
    }

    int taken() {
        return taken;
    }

    int refused() {
        return refused;
    }

    /// Whether upstream certainly has everything that was pushed.
    boolean tookAll(int commands) {
        return unpacked && !unclear && taken == commands && refused == 0;
    }

    /// Whether upstream has something of what was pushed, or may have.
    boolean tookAny() {
        return unclear || taken > 0 || refused == 0;
    }

    void release() {
        nested.release();
    }
}
