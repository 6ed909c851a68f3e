/// Append-only, chained record of what was decided and done.
///
/// Posture: trusted input only; values inside an event may be the words of a sandbox and are
/// escaped.
@NullMarked
package dev.sallyport.audit;

import org.jspecify.annotations.NullMarked;
