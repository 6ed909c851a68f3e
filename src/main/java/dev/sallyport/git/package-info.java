/// Door: smart HTTP; routes, pkt-lines, ref advertisements, push commands.
///
/// Posture: hostile sandbox and hostile upstream.
@NullMarked
package dev.sallyport.git;

import org.jspecify.annotations.NullMarked;
