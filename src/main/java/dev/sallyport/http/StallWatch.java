package dev.sallyport.http;

import io.netty.channel.Channel;

/// Counts the seconds for which the sandbox has taken nothing of an answer that is waiting for it.
final class StallWatch {
    private final Channel channel;
    private long surplusBefore;
    private int seconds;

    StallWatch(Channel channel) {
        this.channel = channel;
    }

    /// Called once per second.
    int seconds() {
        long surplus = channel.bytesBeforeWritable();
        boolean stuck = !channel.isWritable() && surplus == surplusBefore;
        surplusBefore = surplus;
        seconds = stuck ? seconds + 1 : 0;
        return seconds;
    }
}
