package dev.sallyport.egress;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// The memory that JSON bodies may hold while they are read, counted over all of them: each is
/// bounded, but a sandbox can have many that it never finishes.
public final class JsonRoom {
    /// A part of the gateway's heap that leaves the rest of its work enough.
    private static final long BYTES_TOTAL_MAX = 48L << 20;

    /// So that one sandbox cannot take the room of the others.
    private static final int SHARES = 4;

    private final long bytesMax;
    private final Optional<JsonRoom> whole;
    private final AtomicLong bytes = new AtomicLong();

    private JsonRoom(long bytesMax, Optional<JsonRoom> whole) {
        this.bytesMax = bytesMax;
        this.whole = whole;
    }

    /// That of a whole gateway.
    public static JsonRoom ofGateway() {
        return of(BYTES_TOTAL_MAX);
    }

    static JsonRoom of(long bytesMax) {
        return new JsonRoom(bytesMax, Optional.empty());
    }

    /// What one sandbox may have of it, at most; what it takes is taken from here, too.
    public JsonRoom share() {
        return new JsonRoom(bytesMax / SHARES, Optional.of(this));
    }

    /// When the answer is no, nothing was taken.
    boolean take(long more) {
        if (bytes.addAndGet(more) > bytesMax) {
            bytes.addAndGet(-more);
            return false;
        }
        if (whole.isPresent() && !whole.get().take(more)) {
            bytes.addAndGet(-more);
            return false;
        }
        return true;
    }

    void give(long back) {
        bytes.addAndGet(-back);
        whole.ifPresent(room -> room.give(back));
    }

    long bytes() {
        return bytes.get();
    }
}
