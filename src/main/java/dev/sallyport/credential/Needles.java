package dev.sallyport.credential;

import dev.sallyport.search.Automaton;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What is looked for to find one secret, or the few that belong together: every [Spelling], Base64
/// at all three alignments, so that the secret is found inside `Authorization: Basic` whatever the
/// user name is. Of a long one its beginning is enough.
///
/// @param changing finds what is another secret in each request; a state is then one of both, side
///   by side
/// @param sieve tells most places where none can be; there is none for secrets beyond ASCII
record Needles(Automaton automaton, @Nullable Automaton changing, Optional<EchoSieve> sieve) {
    /// An automaton has fewer states.
    private static final int STATE_BITS = 16;

    private static final int STATE_MASK = (1 << STATE_BITS) - 1;

    /// A shorter spelling occurs in packs by chance.
    private static final int LENGTH_MIN = 8;

    /// Longer than what two tokens of one issuer have in common, short enough for a small table.
    static final int LENGTH_MAX = 512;

    static Needles of(Secret secret) {
        return of(List.of(secret));
    }

    static Needles of(List<Secret> secrets) {
        List<String> needles = spellings(secrets.stream().map(Secret::text).toList());
        Automaton automaton = Automaton.of(List.of(needles));
        boolean ascii = needles.stream().flatMapToInt(String::chars).allMatch(c -> c < 0x80);
        return new Needles(
                automaton,
                null,
                ascii && !needles.isEmpty()
                        ? Optional.of(new EchoSieve(needles, automaton))
                        : Optional.empty());
    }

    /// To which upper and lower case are alike, as in names of hosts.
    ///
    /// @param values secrets, or what they begin with
    static Needles ofAnyCase(List<String> values) {
        Automaton automaton = Automaton.ofAnyCase(List.of(spellings(values)));
        return new Needles(automaton, null, Optional.empty());
    }

    /// These and those of one more, for one request: what is here is not built again. There is no
    /// sieve, which would cost more than it saves.
    Needles with(Secret another) {
        if (changing != null) {
            throw new IllegalStateException("there is one already");
        }
        Automaton its = Automaton.of(List.of(spellings(List.of(another.text()))));
        return new Needles(automaton, its, Optional.empty());
    }

    private static List<String> spellings(List<String> values) {
        return values.stream()
                .flatMap(value -> Spelling.all(value).stream())
                .filter(spelling -> spelling.length() >= LENGTH_MIN)
                .map(s -> s.substring(0, Math.min(s.length(), LENGTH_MAX)))
                .distinct()
                .toList();
    }

    /// The same without a sieve: each byte is looked at.
    Needles unsieved() {
        return new Needles(automaton, changing, Optional.empty());
    }

    int step(int state, int b) {
        return changing == null
                ? automaton.step(state, b)
                : automaton.step(state >>> STATE_BITS, b) << STATE_BITS
                        | changing.step(state & STATE_MASK, b);
    }

    boolean isComplete(int state) {
        return changing == null
                ? automaton.isComplete(state)
                : automaton.isComplete(state >>> STATE_BITS)
                        || changing.isComplete(state & STATE_MASK);
    }

    int depth(int state) {
        return changing == null
                ? automaton.depth(state)
                : Math.max(
                        automaton.depth(state >>> STATE_BITS), changing.depth(state & STATE_MASK));
    }
}
