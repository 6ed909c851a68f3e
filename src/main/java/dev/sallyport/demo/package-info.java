/// The story of Sallyport, tried for real on this machine, with an upstream of its own.
///
/// Posture: trusted input only.
@NullMarked
package dev.sallyport.demo;

import org.jspecify.annotations.NullMarked;
