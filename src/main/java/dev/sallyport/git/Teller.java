package dev.sallyport.git;

import io.netty.channel.EventLoop;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// Says what is due to whoever waits, on the event loop, until it is stopped: on a terminal in one
/// line that is written over.
final class Teller {
    /// How it is said.
    interface Voice {
        /// Whether something can be said now.
        boolean isOpen();

        void say(String text);

        /// The next line is written over this one.
        void sayOver(String text);
    }

    private final WaitTalk talk;
    private final Voice voice;
    private final Future<?> ticks;
    private Optional<String> unfinished = Optional.empty();

    Teller(WaitTalk talk, EventLoop loop, Voice voice) {
        this.talk = talk;
        this.voice = voice;
        long nanos = talk.tick().toNanos();
        this.ticks = loop.scheduleAtFixedRate(this::tick, nanos, nanos, TimeUnit.NANOSECONDS);
    }

    private void tick() {
        if (!voice.isOpen()) {
            return;
        }
        Optional<String> text = talk.due(System.nanoTime());
        if (talk.isQuiet()) {
            text.ifPresent(voice::say);
        } else if (text.isPresent()) {
            voice.sayOver(text.get());
            unfinished = text;
        }
    }

    void stop() {
        ticks.cancel(false);
    }

    /// Stops, and ends the line that would be written over.
    void stop(String end) {
        stop();
        unfinished.ifPresent(text -> voice.say(text + end));
        unfinished = Optional.empty();
    }
}
