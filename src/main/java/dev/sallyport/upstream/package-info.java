/// The only way out: resolve, classify, dial that address and no other, verify TLS, relay with
/// back-pressure; needs a `Permit`.
///
/// Posture: hostile upstream.
@NullMarked
package dev.sallyport.upstream;

import org.jspecify.annotations.NullMarked;
