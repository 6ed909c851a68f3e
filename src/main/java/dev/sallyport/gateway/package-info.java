/// The exposed process: composition root; one pipeline per listener.
///
/// Posture: hostile sandbox.
@NullMarked
package dev.sallyport.gateway;

import org.jspecify.annotations.NullMarked;
