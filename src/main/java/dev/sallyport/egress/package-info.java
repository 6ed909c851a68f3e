/// Door: CONNECT, absolute-form and transparent connections; SNI; inspection.
///
/// Posture: hostile sandbox.
@NullMarked
package dev.sallyport.egress;

import org.jspecify.annotations.NullMarked;
