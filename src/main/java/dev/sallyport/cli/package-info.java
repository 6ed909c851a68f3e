/// Commands: parse flags, make one call, print; no decisions.
///
/// Posture: trusted input only.
@NullMarked
package dev.sallyport.cli;

import org.jspecify.annotations.NullMarked;
