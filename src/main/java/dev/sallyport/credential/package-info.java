/// Holds real secrets and writes one into a request; nothing else can read one.
///
/// Posture: trusted input only.
@NullMarked
package dev.sallyport.credential;

import org.jspecify.annotations.NullMarked;
