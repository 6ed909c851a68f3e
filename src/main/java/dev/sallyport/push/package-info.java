/// Judges a push: quarantine, ancestry, paths, hidden objects, secrets. Posture: hostile sandbox;
/// every byte of a pack was chosen by one.
@NullMarked
package dev.sallyport.push;

import org.jspecify.annotations.NullMarked;
