/// The trusted process: composition root, supervision of the gateway, control API on a Unix socket.
///
/// Posture: trusted input only.
@NullMarked
package dev.sallyport.warden;

import org.jspecify.annotations.NullMarked;
