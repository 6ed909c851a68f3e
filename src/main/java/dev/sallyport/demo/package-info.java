/// The story of Sallyport, tried for real on this machine, with an upstream of its own; and the
/// world around a gateway whose JVM is trained.
///
/// Posture: trusted input only.
@NullMarked
package dev.sallyport.demo;

import org.jspecify.annotations.NullMarked;
