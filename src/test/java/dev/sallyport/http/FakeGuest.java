package dev.sallyport.http;

import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;

/// A request that counts how often it got a place, on a loop of its own that the test runs.
final class FakeGuest implements RequestQuota.Guest {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private int admissions;

    @Override
    public EventLoop loop() {
        return channel.eventLoop();
    }

    @Override
    public void admitted() {
        admissions++;
    }

    int admissions() {
        channel.runPendingTasks();
        // What was due may have given the loop something to do.
        channel.runPendingTasks();
        return admissions;
    }
}
