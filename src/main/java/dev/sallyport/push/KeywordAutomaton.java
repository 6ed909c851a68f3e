package dev.sallyport.push;

import dev.sallyport.search.Automaton;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds all of many keywords in one pass, upper and lower case alike. A [KeywordSieve] rules out
/// most places; the others cost one table lookup per byte, however many keywords there are.
final class KeywordAutomaton {
    private final Automaton automaton;
    private final @Nullable KeywordSieve sieve;

    private KeywordAutomaton(Automaton automaton, @Nullable KeywordSieve sieve) {
        this.automaton = automaton;
        this.sieve = sieve;
    }

    /// Told of each keyword.
    interface Listener {
        /// A keyword is there.
        ///
        /// @param end index behind the keyword's last byte
        /// @return whether to go on
        boolean found(int owner, int end);
    }

    /// Builds the machine.
    ///
    /// @param keywords by number of their owner; several owners may share one
    static KeywordAutomaton of(List<List<String>> keywords) {
        List<String> all = keywords.stream().flatMap(List::stream).distinct().toList();
        return new KeywordAutomaton(
                Automaton.ofAnyCase(keywords), KeywordSieve.of(all).orElse(null));
    }

    /// The same without a sieve: each byte is looked at.
    KeywordAutomaton unsieved() {
        return new KeywordAutomaton(automaton, null);
    }

    static int start() {
        return Automaton.START;
    }

    /// Reads on from a state.
    ///
    /// @return the state behind the last byte, or behind the one where the listener had enough
    int read(int from, byte[] bytes, int start, int end, Listener listener) {
        Reading reading = new Reading(bytes, end, listener);
        reading.state = from;
        reading.at = start;
        if (sieve == null) {
            reading.read(end);
        } else {
            sift(sieve, reading);
        }
        return reading.state;
    }

    /// A keyword that the sieve has seen is under way as long as what is under way began no later
    /// than there; one that begins later is seen later.
    private void sift(KeywordSieve sieve, Reading reading) {
        int start = reading.at;
        reading.readThrough(start - 1);
        int seen = sieve.next(reading.bytes, start, reading.end);
        while (seen < reading.end && !reading.stopped) {
            reading.begin(seen - sieve.before());
            reading.readThrough(seen);
            seen = sieve.next(reading.bytes, seen + 1, reading.end);
        }
        reading.begin(reading.end - sieve.longest());
        reading.read(reading.end);
    }

    /// Where one reading is.
    private final class Reading {
        private final byte[] bytes;
        private final int end;
        private final Listener listener;
        private int state;
        private int at;
        private boolean stopped;

        Reading(byte[] bytes, int end, Listener listener) {
            this.bytes = bytes;
            this.end = end;
            this.listener = listener;
        }

        /// Passes what the sieve has ruled out.
        void begin(int from) {
            if (from > at && !stopped) {
                state = Automaton.START;
                at = from;
            }
        }

        /// Reads until nothing is under way that has this byte, or one before it.
        void readThrough(int index) {
            read(index + 1);
            while (!stopped && at < end && at - automaton.depth(state) <= index) {
                read(at + 1);
            }
        }

        void read(int until) {
            int now = state;
            int i = at;
            while (i < until && !stopped) {
                now = automaton.step(now, bytes[i++]);
                stopped = automaton.isComplete(now) && !tell(now, i);
            }
            state = now;
            at = i;
        }

        private boolean tell(int complete, int behind) {
            for (int owner : automaton.owners(complete)) {
                if (!listener.found(owner, behind)) {
                    return false;
                }
            }
            return true;
        }
    }
}
