package dev.sallyport.credential;

import dev.sallyport.search.Automaton;
import java.util.List;
import java.util.Optional;

/// What is looked for to find one secret, or the few that belong together: every [Spelling], Base64
/// at all three alignments, so that the secret is found inside `Authorization: Basic` whatever the
/// user name is. Of a long one its beginning is enough.
///
/// @param sieve tells most places where none can be; there is none for secrets beyond ASCII
record Needles(Automaton automaton, Optional<EchoSieve> sieve) {
    /// A shorter spelling occurs in packs by chance.
    private static final int LENGTH_MIN = 8;

    /// Longer than what two tokens of one issuer have in common, short enough for a small table.
    static final int LENGTH_MAX = 512;

    static Needles of(Secret secret) {
        return of(List.of(secret));
    }

    static Needles of(List<Secret> secrets) {
        List<String> needles =
                secrets.stream()
                        .flatMap(secret -> Spelling.all(secret.text()).stream())
                        .filter(spelling -> spelling.length() >= LENGTH_MIN)
                        .map(s -> s.substring(0, Math.min(s.length(), LENGTH_MAX)))
                        .distinct()
                        .toList();
        Automaton automaton = Automaton.of(List.of(needles));
        boolean ascii = needles.stream().flatMapToInt(String::chars).allMatch(c -> c < 0x80);
        return new Needles(
                automaton,
                ascii && !needles.isEmpty()
                        ? Optional.of(new EchoSieve(needles, automaton))
                        : Optional.empty());
    }

    /// The same without a sieve: each byte is looked at.
    Needles unsieved() {
        return new Needles(automaton, Optional.empty());
    }

    int step(int state, int b) {
        return automaton.step(state, b);
    }

    boolean isComplete(int state) {
        return automaton.isComplete(state);
    }

    int depth(int state) {
        return automaton.depth(state);
    }
}
