/// Asks the API of a cluster whose token a pod has shown (ADR 40).
///
/// Posture: the API is trusted as far as its certificate goes; what was shown to it came from a
/// stranger.
@NullMarked
package dev.sallyport.cluster;

import org.jspecify.annotations.NullMarked;
