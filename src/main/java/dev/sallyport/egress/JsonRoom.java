package dev.sallyport.egress;

import dev.sallyport.policy.SessionId;
import dev.sallyport.relay.Spool;
import dev.sallyport.relay.SpoolRoom;
import dev.sallyport.upstream.Room;
import io.netty.channel.EventLoop;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/// The memory and the disk that JSON bodies may hold while they are read, counted over all of them:
/// each is bounded, but a sandbox can have many that it never finishes.
public final class JsonRoom {
    /// A part of the gateway's heap that leaves the rest of its work enough.
    private static final long BYTES_TOTAL_MAX = 48L << 20;

    /// So that one sandbox cannot take the room of the others.
    private static final int SHARES = 4;

    /// Bodies of a few dozen megabytes, with pictures in them, for some sandboxes at once.
    private static final long DISK_BYTES_TOTAL_MAX = 1L << 30;

    private final Room memory;
    private final Path work;
    private final SpoolRoom disk;
    private final AtomicLong bodies;

    private JsonRoom(Room memory, Path work, SpoolRoom disk, AtomicLong bodies) {
        this.memory = memory;
        this.work = work;
        this.disk = disk;
        this.bodies = bodies;
    }

    /// That of a whole gateway.
    ///
    /// @param work a directory of this process alone
    public static JsonRoom ofGateway(Path work) {
        return of(BYTES_TOTAL_MAX, work);
    }

    static JsonRoom of(long bytesMax, Path work) {
        return new JsonRoom(
                Room.of(bytesMax), work, new SpoolRoom(DISK_BYTES_TOTAL_MAX), new AtomicLong());
    }

    /// What one sandbox may have of it, at most; what it takes is taken from here, too.
    public JsonRoom share() {
        return new JsonRoom(memory.share(SHARES), work, disk, bodies);
    }

    /// A place on disk for one body.
    Spool spool(SessionId session, EventLoop loop, Spool.Events events) {
        Path directory = work.resolve("json-" + bodies.incrementAndGet());
        return new Spool(directory, disk, session, loop, events);
    }

    /// When the answer is no, nothing was taken.
    boolean take(long more) {
        return memory.take(more);
    }

    void give(long back) {
        memory.give(back);
    }

    long bytes() {
        return memory.bytes();
    }
}
