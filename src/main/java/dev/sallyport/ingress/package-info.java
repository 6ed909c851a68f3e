/// Door from the host: connections to published ports go to servers inside the sandbox, byte for
/// byte.
///
/// Posture: hostile sandbox. Nothing of what passes is read.
@NullMarked
package dev.sallyport.ingress;

import org.jspecify.annotations.NullMarked;
