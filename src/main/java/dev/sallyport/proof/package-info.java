/// Tries out, inside a live sandbox and from outside, what isolates it, and says what was seen.
///
/// Posture: hostile sandbox. What probes say from inside is bounded in size and only compared; what
/// the kernel says from outside decides wherever it can be asked.
@NullMarked
package dev.sallyport.proof;

import org.jspecify.annotations.NullMarked;
