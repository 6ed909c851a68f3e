package dev.sallyport.gateway;

import dev.sallyport.channel.Message;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Usage;
import dev.sallyport.session.UsageMeter;
import io.netty.util.concurrent.EventExecutorGroup;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Tells the warden what sessions use: the first use at once, and what follows within a moment in
/// one message for each session, because a message for each request would cost as much as the
/// request.
final class UsageReports implements UsageMeter {
    private static final int MOMENT_MILLIS = 200;

    private final EventExecutorGroup loops;
    private final Consumer<Message> warden;
    private final Map<SessionId, Usage> untold = new HashMap<>();
    private boolean resting;

    UsageReports(EventExecutorGroup loops, Consumer<Message> warden) {
        this.loops = loops;
        this.warden = warden;
    }

    @Override
    public synchronized void used(SessionId session, Usage used) {
        untold.merge(session, used, Usage::plus);
        if (!resting) {
            tell();
        }
    }

    private synchronized void tell() {
        resting = !untold.isEmpty();
        if (!resting) {
            return;
        }
        untold.forEach(
                (session, used) ->
                        warden.accept(
                                new Message.Used(
                                        session.value(),
                                        used.requests(),
                                        used.bytesUp(),
                                        used.bytesDown(),
                                        used.pushes())));
        untold.clear();
        var _ = loops.next().schedule(this::tell, MOMENT_MILLIS, TimeUnit.MILLISECONDS);
    }
}
