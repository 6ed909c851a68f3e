package dev.sallyport.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Which pushes go upstream only when a person says yes.
///
/// @param always whether all of them
/// @param refs patterns over full names: a push that changes one of these refs
/// @param paths a push with a commit that changes one of these paths, against any of its parents
/// @param overBytes a push whose pack is larger
public record AskRules(
        boolean always, List<RefPattern> refs, List<PathPattern> paths, Optional<Long> overBytes) {
    public static final AskRules NONE = new AskRules(false, List.of(), List.of(), Optional.empty());

    public static final AskRules ALWAYS =
            new AskRules(true, List.of(), List.of(), Optional.empty());

    public AskRules {
        refs = List.copyOf(refs);
        paths = List.copyOf(paths);
        if (overBytes.isPresent() && overBytes.get() < 1) {
            throw new IllegalArgumentException("over-bytes is at least 1");
        }
    }

    public boolean isNone() {
        return equals(NONE);
    }

    /// Asks when one of the two does.
    AskRules or(AskRules other) {
        Optional<Long> least =
                overBytes.isPresent() && other.overBytes.isPresent()
                        ? Optional.of(Math.min(overBytes.get(), other.overBytes.get()))
                        : overBytes.or(other::overBytes);
        return new AskRules(
                always || other.always,
                Overlap.union(refs, other.refs),
                Overlap.union(paths, other.paths),
                least);
    }

    /// Whether a person is asked about every push that changes this ref.
    boolean covers(RefName ref) {
        return always || refs.stream().anyMatch(pattern -> pattern.matchesFull(ref));
    }

    /// Why a person is asked about a push, in words; empty when nobody is.
    ///
    /// @param touched what the judge says of paths that are covered
    public List<String> reasons(List<RefUpdate> updates, long packBytes, List<String> touched) {
        List<String> reasons = new ArrayList<>();
        if (always) {
            reasons.add("every push is asked about");
        }
        for (RefUpdate update : updates) {
            refs.stream()
                    .filter(pattern -> pattern.matchesFull(update.ref()))
                    .findFirst()
                    .ifPresent(p -> reasons.add("ref " + update.ref() + " (rule " + p + ")"));
        }
        reasons.addAll(touched);
        if (overBytes.isPresent() && packBytes > overBytes.get()) {
            reasons.add("pack of " + packBytes + " bytes (rule over " + overBytes.get() + ")");
        }
        return reasons;
    }

    @Override
    public String toString() {
        if (isNone()) {
            return "never";
        }
        List<String> words = new ArrayList<>();
        if (always) {
            words.add("always");
        }
        if (!refs.isEmpty()) {
            words.add("refs " + refs);
        }
        if (!paths.isEmpty()) {
            words.add("paths " + paths);
        }
        overBytes.ifPresent(bytes -> words.add("over-bytes " + bytes));
        return String.join(", ", words);
    }
}
