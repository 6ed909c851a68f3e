/// Sandboxes that are Docker containers of any image, without a network.
///
/// Posture: trusted input only.
@NullMarked
package dev.sallyport.sandbox.docker;

import org.jspecify.annotations.NullMarked;
