package dev.sallyport.policy;

import java.util.List;
import java.util.Optional;

/// Which of a repository's refs a session may see. Everything, unless a list says otherwise; an
/// empty list shows nothing.
public final class RefVisibility {
    private static final RefVisibility ALL = new RefVisibility(Optional.empty());

    private final Optional<List<RefPattern>> shown;

    private RefVisibility(Optional<List<RefPattern>> shown) {
        this.shown = shown;
    }

    public static RefVisibility all() {
        return ALL;
    }

    /// Only what one of these shows; each was made by [RefPattern#parseFull].
    public static RefVisibility of(List<RefPattern> patterns) {
        return new RefVisibility(Optional.of(List.copyOf(patterns)));
    }

    public boolean isAll() {
        return shown.isEmpty();
    }

    public boolean shows(RefName ref) {
        return shown.isEmpty()
                || shown.get().stream().anyMatch(pattern -> pattern.matchesFull(ref));
    }

    public Optional<List<RefPattern>> patterns() {
        return shown;
    }

    /// The same for the same list: what is kept for one list must not serve another.
    @Override
    public String toString() {
        return shown.map(Object::toString).orElse("all");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RefVisibility that && shown.equals(that.shown);
    }

    @Override
    public int hashCode() {
        return shown.hashCode();
    }
}
