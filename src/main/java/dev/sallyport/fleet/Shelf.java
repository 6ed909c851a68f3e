package dev.sallyport.fleet;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/// Records of one kind, by name. Reading asks nobody: it is what this process has seen last. What
/// is written is where it is kept before anybody sees it.
///
/// @param <T> see [dev.sallyport.config.RecordBytes]
final class Shelf<T> {
    /// Looks at a record that was read.
    interface Check<T> {
        /// Refuses it when it is not one.
        void of(String name, T value) throws IOException;
    }

    /// Where they are kept.
    interface Keeping<T> {
        /// Keeps it.
        ///
        /// @param kept run when it is there to stay
        void write(String name, T value, Runnable kept) throws IOException;

        /// Likewise.
        void remove(String name, Runnable kept) throws IOException;
    }

    private final Map<String, T> seen = new ConcurrentSkipListMap<>();
    private final Keeping<T> keeping;

    Shelf(Keeping<T> keeping) {
        this.keeping = keeping;
    }

    Optional<T> find(String name) {
        return Optional.ofNullable(seen.get(name));
    }

    /// All of them, as they come and go.
    Map<String, T> all() {
        return seen;
    }

    /// Within [FleetStore#change].
    void write(String name, T value) throws IOException {
        keeping.write(name, value, () -> show(name, value));
    }

    /// Within [FleetStore#change]; it does not come back when the power fails.
    void remove(String name) throws IOException {
        keeping.remove(name, () -> hide(name));
    }

    /// Changes what is seen here and is kept nowhere: for what must have an effect even when it
    /// cannot be written.
    void show(String name, T value) {
        seen.put(name, value);
    }

    /// Likewise.
    void hide(String name) {
        seen.remove(name);
    }
}
