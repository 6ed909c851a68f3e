package dev.sallyport.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Which of a repository's refs a session may see. Everything, unless a list says otherwise; an
/// empty list shows nothing.
public final class RefVisibility {
    private static final RefVisibility ALL = new RefVisibility(Optional.empty(), Optional.empty());

    /// What only somebody with write access can make, on every host that is known. Others, such as
    /// `refs/pull/**`, `refs/merge-requests/**` and `refs/changes/**`, a stranger can fill.
    private static final List<RefPattern> TRUSTED =
            List.of(
                    Parsing.known("refs/heads/**", RefPattern::parseFull),
                    Parsing.known("refs/tags/**", RefPattern::parseFull));

    private final Optional<List<RefPattern>> shown;
    private final Optional<List<RefPattern>> within;

    private RefVisibility(Optional<List<RefPattern>> shown, Optional<List<RefPattern>> within) {
        this.shown = shown;
        this.within = within;
    }

    public static RefVisibility all() {
        return ALL;
    }

    /// Only what one of these shows; each was made by [RefPattern#parseFull].
    public static RefVisibility of(List<RefPattern> patterns) {
        return new RefVisibility(Optional.of(List.copyOf(patterns)), Optional.empty());
    }

    /// Of these refs the ones that vouch for what they reach: branches, tags and `others`. The same
    /// object when that is all of them, so that nobody keeps two copies of the same refs.
    public RefVisibility trusted(List<RefPattern> others) {
        List<RefPattern> trusted = new ArrayList<>(TRUSTED);
        trusted.addAll(others);
        return shown.isPresent() && shown.get().stream().allMatch(RefPattern::isTrustedCategory)
                ? this
                : new RefVisibility(shown, Optional.of(List.copyOf(trusted)));
    }

    /// What both show, of a session's own rules.
    RefVisibility and(RefVisibility other) {
        return new RefVisibility(
                Overlap.of(shown, other.shown, RefPattern::covers), Optional.empty());
    }

    public boolean isAll() {
        return shown.isEmpty() && within.isEmpty();
    }

    public boolean shows(RefName ref) {
        return covers(shown, ref) && covers(within, ref);
    }

    private static boolean covers(Optional<List<RefPattern>> patterns, RefName ref) {
        return patterns.isEmpty()
                || patterns.get().stream().anyMatch(pattern -> pattern.matchesFull(ref));
    }

    public Optional<List<RefPattern>> patterns() {
        return shown;
    }

    /// The same for the same lists: what is kept for one must not serve another. No pattern has a
    /// space.
    @Override
    public String toString() {
        return shown.map(Object::toString).orElse("all")
                + within.map(patterns -> " within " + patterns).orElse("");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RefVisibility that
                && shown.equals(that.shown)
                && within.equals(that.within);
    }

    @Override
    public int hashCode() {
        return Objects.hash(shown, within);
    }
}
