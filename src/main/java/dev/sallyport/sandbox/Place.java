package dev.sallyport.sandbox;

import java.nio.file.Path;

/// A place of the host that a sandbox must not see.
///
/// @param what it is, for a sentence that begins with "it overlaps with"
/// @param extent what of the paths around it is refused as well
/// @param absolute whether it stays refused even when a person insists
public record Place(Path path, String what, Extent extent, boolean absolute) {
    /// How far a place reaches.
    public enum Extent {
        /// This directory; what lies in it may be mounted.
        ITSELF,
        /// This directory and those that contain it.
        CONTAINING,
        /// Also everything in it.
        OVERLAPPING
    }
}
