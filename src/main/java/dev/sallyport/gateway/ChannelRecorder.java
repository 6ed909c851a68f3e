package dev.sallyport.gateway;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.channel.RecordLane;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// Has events recorded by the warden: each event loop on its own lane, so that whoever waits for an
/// event goes on where it was; other threads on one that is chosen by session.
record ChannelRecorder(List<RecordLane> lanes) implements Recorder {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /// Opens a lane for each event loop.
    ///
    /// @param ended told when one of them is over
    static ChannelRecorder connect(
            EventLoopGroup loops, Path directory, long wardenPid, Consumer<String> ended)
            throws IOException {
        List<RecordLane> lanes = new ArrayList<>();
        for (EventExecutor loop : loops) {
            lanes.add(RecordLane.connect((EventLoop) loop, directory, wardenPid, PATIENCE, ended));
        }
        return new ChannelRecorder(List.copyOf(lanes));
    }

    @Override
    public CompletableFuture<Void> record(AuditEvent event) {
        for (int i = 0; i < lanes.size(); i++) {
            if (lanes.get(i).isOurs()) {
                return lanes.get(i).record(event);
            }
        }
        int any = Math.floorMod(event.session().hashCode(), lanes.size());
        return lanes.get(any).record(event);
    }
}
