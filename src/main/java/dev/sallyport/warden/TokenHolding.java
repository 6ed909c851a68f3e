package dev.sallyport.warden;

import dev.sallyport.credential.Secret;
import dev.sallyport.mint.TokenScope;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.session.Session;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// The tokens that one session has, should have, and should not have any more. Not safe for
/// threads; time is the machine's uptime, which nobody can set.
final class TokenHolding {
    private static final int DOUBLINGS_MAX = 6;

    /// What waits for GitHub or its owner to mend something.
    private static final Duration PAUSE_MIN = Duration.ofSeconds(2);

    private static final int REVOCATIONS_MAX = 5;

    /// A token that the session should have.
    ///
    /// @param secret the name of the App's secret
    /// @param version when that was stored
    record Wanted(String secret, Instant version, TokenScope scope) {}

    /// A token that it has.
    ///
    /// @param scope less than was wanted when the App may not do all of that
    /// @param permit with which it was minted, and can be given back
    /// @param life for how long it is used, from `since`
    /// @param outlives whether GitHub would take it for longer
    record Held(
            Wanted wanted,
            TokenScope scope,
            Secret token,
            EgressPermit permit,
            Duration since,
            Duration life,
            boolean outlives) {
        /// A token that is about to end may do so on its way.
        boolean isOver(Duration now) {
            return !now.minus(since).minus(life.multipliedBy(59).dividedBy(60)).isNegative();
        }

        /// Time to have the next one, so that there are minutes left for trying again, and for what
        /// has begun with this one.
        boolean isDue(Duration now) {
            return !now.minus(since).minus(life.multipliedBy(5).dividedBy(6)).isNegative();
        }
    }

    /// A token to be given back.
    record Doomed(Held held, int tries, Duration notBefore) {
        static Doomed now(Held held) {
            return new Doomed(held, 0, Duration.ZERO);
        }

        boolean isDue(Duration now) {
            return notBefore.compareTo(now) <= 0;
        }

        /// Once more, later; empty when that is given up.
        Optional<Doomed> again(Duration now) {
            return tries + 1 < REVOCATIONS_MAX && !held.isOver(now)
                    ? Optional.of(new Doomed(held, tries + 1, now.plus(pause(tries))))
                    : Optional.empty();
        }
    }

    private Session session;
    private List<Wanted> wanted = List.of();
    private final Map<Wanted, Held> current = new LinkedHashMap<>();

    /// Those that were replaced: what has begun with one goes on.
    private final List<Held> old = new ArrayList<>();

    private final List<Doomed> doomed = new ArrayList<>();
    private final Map<Wanted, String> troubles = new HashMap<>();
    private Duration again = Duration.ZERO;
    private int failures;

    /// Whether somebody works on it.
    boolean busy;

    TokenHolding(Session session) {
        this.session = session;
    }

    Session session() {
        return session;
    }

    /// Says what it should have from now on. What it may not have any more is to be given back.
    void want(Session changed, List<Wanted> now) {
        session = changed;
        if (now.equals(wanted)) {
            return;
        }
        wanted = List.copyOf(now);
        troubles.keySet().retainAll(now);
        again = Duration.ZERO;
        failures = 0;
        Stream.concat(
                        current.values().stream().filter(h -> !now.contains(h.wanted())),
                        old.stream())
                .toList()
                .forEach(this::place);
        current.keySet().retainAll(now);
    }

    private void place(Held held) {
        boolean allowed =
                wanted.stream()
                        .filter(w -> w.secret().equals(held.wanted().secret()))
                        .anyMatch(w -> w.scope().covers(held.scope()));
        old.remove(held);
        if (allowed) {
            old.add(held);
        } else {
            doomed.add(Doomed.now(held));
        }
    }

    /// Nothing is wanted any more.
    void end() {
        want(session, List.of());
    }

    /// Takes a token that was minted; one that nobody wants by now is given back.
    void put(Held held) {
        if (!wanted.contains(held.wanted())) {
            doomed.add(Doomed.now(held));
            return;
        }
        Held before = current.put(held.wanted(), held);
        if (before != null) {
            old.add(before);
        }
    }

    Optional<Held> current(Wanted one) {
        return Optional.ofNullable(current.get(one));
    }

    /// One has been tried.
    ///
    /// @param lacking what could not be had of it
    /// @return whether that is new
    boolean settled(Wanted one, List<String> lacking) {
        if (lacking.isEmpty() || !wanted.contains(one)) {
            return troubles.remove(one) != null;
        }
        String sentence = String.join(" ", lacking);
        return !sentence.equals(troubles.put(one, sentence));
    }

    List<String> troubles() {
        return wanted.stream()
                .flatMap(one -> Optional.ofNullable(troubles.get(one)).stream())
                .distinct()
                .toList();
    }

    /// Drops what is over.
    ///
    /// @return whether the gateway has to know
    boolean expire(Duration now) {
        List<Held> over =
                Stream.concat(current.values().stream(), old.stream())
                        .filter(held -> held.isOver(now))
                        .toList();
        over.forEach(
                held -> {
                    if (held.outlives()) {
                        doomed.add(Doomed.now(held));
                    } else {
                        held.token().wipe();
                    }
                });
        old.removeAll(over);
        return current.values().removeAll(over);
    }

    boolean hasWork(Duration now) {
        return doomed.stream().anyMatch(d -> d.isDue(now)) || !tries(now).isEmpty();
    }

    /// What is to be tried now.
    List<Wanted> tries(Duration now) {
        return now.compareTo(again) < 0
                ? List.of()
                : wanted.stream().filter(one -> isAmiss(one, now)).toList();
    }

    private boolean isAmiss(Wanted one, Duration now) {
        return troubles.containsKey(one) || current(one).filter(h -> !h.isDue(now)).isEmpty();
    }

    /// These have been tried.
    void tried(List<Wanted> those, Duration now) {
        if (those.stream().anyMatch(one -> wanted.contains(one) && isAmiss(one, now))) {
            again = now.plus(pause(failures++));
        } else {
            failures = 0;
        }
    }

    private static Duration pause(int failures) {
        return PAUSE_MIN.multipliedBy(1L << Math.min(failures, DOUBLINGS_MAX));
    }

    /// What is to be given back now; it is the caller's from here on.
    List<Doomed> takeDoomed(Duration now) {
        List<Doomed> due = doomed.stream().filter(d -> d.isDue(now)).toList();
        doomed.removeAll(due);
        return due;
    }

    void retry(Doomed later) {
        doomed.add(later);
    }

    boolean isEmpty() {
        return current.isEmpty() && old.isEmpty() && doomed.isEmpty();
    }

    List<Wanted> wanted() {
        return wanted;
    }

    boolean hasFailed(Wanted one) {
        return troubles.containsKey(one);
    }

    /// What may be used, the newest first. One that was replaced serves until its successor is
    /// there.
    List<Held> usable() {
        return current.size() == wanted.size()
                ? List.copyOf(current.values())
                : Stream.concat(current.values().stream(), old.stream()).toList();
    }

    /// All of them, also what is to be given back, for whoever looks for them.
    List<Secret> tokens() {
        return Stream.concat(
                        Stream.concat(current.values().stream(), old.stream()),
                        doomed.stream().map(Doomed::held))
                .map(Held::token)
                .toList();
    }
}
