/// Sandboxes made of user namespaces by bubblewrap; no engine, no image, no root.
///
/// Posture: trusted input only.
@NullMarked
package dev.sallyport.sandbox.bubblewrap;

import org.jspecify.annotations.NullMarked;
