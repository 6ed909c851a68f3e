package dev.sallyport.upstream;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// Memory that many requests may hold together, counted over all of them: each is bounded, but a
/// sandbox can have many that it never finishes.
public final class Room {
    private final long bytesMax;
    private final Optional<Room> whole;
    private final AtomicLong bytes = new AtomicLong();

    private Room(long bytesMax, Optional<Room> whole) {
        this.bytesMax = bytesMax;
        this.whole = whole;
    }

    public static Room of(long bytesMax) {
        return new Room(bytesMax, Optional.empty());
    }

    /// What one sandbox may have of it, at most, so that it cannot take the room of the others;
    /// what it takes is taken from here, too.
    public Room share(int shares) {
        return new Room(bytesMax / shares, Optional.of(this));
    }

    /// When the answer is no, nothing was taken.
    public boolean take(long more) {
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

    public void give(long back) {
        bytes.addAndGet(-back);
        whole.ifPresent(room -> room.give(back));
    }

    public long bytes() {
        return bytes.get();
    }
}
