package dev.sallyport.sandbox;

import java.util.Optional;

/// What was found in a sandbox's place. Both parts may be there: the sandbox runs, and something
/// else poses as it.
///
/// @param running the sandbox itself, verified
/// @param by who verified it
/// @param refused why something that runs in its place gets no doors, for the record
/// @param paused whether its processes are frozen; empty when nobody can tell
public record Sighting(
        Optional<Identity> running, String by, Optional<String> refused, Optional<Boolean> paused) {
    public static final Sighting NOTHING =
            new Sighting(Optional.empty(), "", Optional.empty(), Optional.empty());

    public static Sighting of(Identity running, String by) {
        return new Sighting(Optional.of(running), by, Optional.empty(), Optional.empty());
    }

    public static Sighting refused(String reason) {
        return new Sighting(Optional.empty(), "", Optional.of(reason), Optional.empty());
    }

    public Sighting paused(boolean now) {
        return new Sighting(running, by, refused, Optional.of(now));
    }

    /// The sandbox itself runs, and something else poses as it.
    public Sighting beside(Optional<String> impostor) {
        return new Sighting(running, by, impostor, paused);
    }
}
