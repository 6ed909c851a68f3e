package dev.sallyport.push;

import java.util.List;
import java.util.function.ToLongFunction;

/// The screen for keywords of the secret scan, for benchmarks: with the sieve and without.
public final class KeywordContest {
    private KeywordContest() {}

    public static ToLongFunction<byte[]> sieved() {
        return screen(KeywordAutomaton.of(keywords()));
    }

    public static ToLongFunction<byte[]> unsieved() {
        return screen(KeywordAutomaton.of(keywords()).unsieved());
    }

    private static List<List<String>> keywords() {
        return SecretScanner.standard().rules().stream().map(SecretRule::keywords).toList();
    }

    private static ToLongFunction<byte[]> screen(KeywordAutomaton automaton) {
        long[] found = {0};
        KeywordAutomaton.Listener count =
                (owner, end) -> {
                    found[0] += owner + end;
                    return true;
                };
        return bytes -> {
            int state = KeywordAutomaton.start();
            found[0] = 0;
            for (int from = 0; from < bytes.length; from += SecretReading.WINDOW) {
                int end = Math.min(bytes.length, from + SecretReading.WINDOW);
                state = automaton.read(state, bytes, from, end, count);
            }
            return found[0];
        };
    }
}
