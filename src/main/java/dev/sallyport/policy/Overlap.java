package dev.sallyport.policy;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;

/// What two patterns both cover. Where that is no pattern, it is left out: the answer never covers
/// more than both.
final class Overlap {
    private static final String ANY = "**";

    /// Always a pattern, or nothing at all.
    static Optional<HostPattern> of(HostPattern one, HostPattern other) {
        if (one.covers(other)) {
            return Optional.of(other);
        }
        if (other.covers(one)) {
            return Optional.of(one);
        }
        return edge(one, other).or(() -> edge(other, one));
    }

    /// `**.a.example` and `*.example` have `a.example` in common.
    private static Optional<HostPattern> edge(HostPattern domain, HostPattern labels) {
        boolean meets =
                domain.breadth() == HostPattern.Breadth.DOMAIN
                        && labels.breadth() == HostPattern.Breadth.ONE_LABEL
                        && labels.matches(domain.name());
        return meets
                ? Optional.of(new HostPattern(HostPattern.Breadth.EXACT, domain.name()))
                : Optional.empty();
    }

    /// In the spelling of the first.
    static Optional<RepoPattern> of(RepoPattern one, RepoPattern other) {
        if (other.covers(one)) {
            return Optional.of(one);
        }
        return one.covers(other)
                ? Optional.of(new RepoPattern(one.host(), one.owner(), other.name()))
                : Optional.empty();
    }

    /// An absent list covers everything.
    static <T> Optional<List<T>> of(
            Optional<List<T>> one, Optional<List<T>> other, BiPredicate<T, T> covers) {
        return one.isPresent() && other.isPresent()
                ? Optional.of(of(one.get(), other.get(), covers))
                : one.or(() -> other);
    }

    /// @param covers may be wrong in saying no, never in saying yes
    static <T> List<T> of(List<T> one, List<T> other, BiPredicate<T, T> covers) {
        Set<T> both = new LinkedHashSet<>();
        for (T a : one) {
            for (T b : other) {
                if (covers.test(a, b)) {
                    both.add(b);
                } else if (covers.test(b, a)) {
                    both.add(a);
                }
            }
        }
        return List.copyOf(both);
    }

    static <T> List<T> union(List<T> one, List<T> other) {
        Set<T> all = new LinkedHashSet<>(one);
        all.addAll(other);
        return List.copyOf(all);
    }

    /// Whether one glob surely covers all that another does. A `*` of the narrow one is a character
    /// that only a wildcard of the wide one takes, and what takes it takes whatever it stands for;
    /// a `**` is compared only at the end of both.
    ///
    /// @param anyMin how many components `**` stands for at least
    static boolean covers(String wide, String narrow, int anyMin) {
        if (wide.equals(narrow)) {
            return true;
        }
        List<String> pattern = List.of(wide.split("/", -1));
        List<String> name = new ArrayList<>(List.of(narrow.split("/", -1)));
        if (name.getLast().equals(ANY) && pattern.getLast().equals(ANY)) {
            name.removeLast();
            if (anyMin > 0) {
                name.add("*");
            }
        }
        return !name.contains(ANY) && Glob.covers(pattern, name, anyMin);
    }
}
