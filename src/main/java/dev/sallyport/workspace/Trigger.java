package dev.sallyport.workspace;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// A file of a workspace that programs of the host act on, as it was at one moment (I7).
///
/// @param marks what of it counts. Where no new ones come, the file may change as it likes: git
///   writes branches into its configuration all the time.
/// @param original what it held, to be put back; empty when that is not known
public record Trigger(Kind kind, Set<String> marks, Optional<Original> original) {
    public enum Kind {
        /// Git's configuration, of which everything else depends.
        CONFIG,
        /// Git runs it, or what it names, by itself.
        GIT,
        /// An editor, a shell or an agent acts on it when a person opens or enters the directory.
        OPENS,
        /// A build runs it, when a person builds.
        BUILDS
    }

    /// What the file held.
    ///
    /// @param content one character for each byte
    /// @param mode as in `rw-r--r--`; empty in what an older Sallyport has written down
    public record Original(String content, boolean program, Optional<String> mode) {
        static final Original EMPTY = new Original("", false, Optional.empty());

        String text() {
            return new String(content.getBytes(ISO_8859_1), UTF_8);
        }
    }

    /// Whether the host's git would run something because of it, without being told to.
    boolean isGits() {
        return kind == Kind.CONFIG || kind == Kind.GIT;
    }

    /// What there is now that was not there before.
    Set<String> since(Optional<Trigger> before) {
        Set<String> fresh = new TreeSet<>(marks);
        before.ifPresent(trigger -> fresh.removeAll(trigger.marks));
        return fresh;
    }
}
