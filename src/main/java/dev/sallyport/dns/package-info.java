/// Door: questions in, synthetic answers out; never forwards.
///
/// Posture: hostile sandbox.
@NullMarked
package dev.sallyport.dns;

import org.jspecify.annotations.NullMarked;
