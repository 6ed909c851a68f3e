/// Opens sockets inside a sandbox's network namespace and hands their descriptors over.
///
/// Posture: trusted input only.
@NullMarked
package dev.sallyport.porter;

import org.jspecify.annotations.NullMarked;
