/// What the command line and the warden say to each other over the control socket, and the client
/// side of it.
///
/// Posture: trusted input only; the socket itself is verified before a byte is sent.
@NullMarked
package dev.sallyport.control;

import org.jspecify.annotations.NullMarked;
