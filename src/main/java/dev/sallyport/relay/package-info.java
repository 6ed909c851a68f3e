/// What the doors for requests share: one request goes up, its answer comes down, and what passes
/// is filtered, counted and paused. A door brings the decision, the filters and the words.
///
/// Posture: hostile sandbox and hostile upstream.
@NullMarked
package dev.sallyport.relay;

import org.jspecify.annotations.NullMarked;
