/// Life of a sandbox on a runtime; what it mounts, what it owns, how it is cleaned up.
///
/// Posture: trusted input only.
@NullMarked
package dev.sallyport.sandbox;

import org.jspecify.annotations.NullMarked;
