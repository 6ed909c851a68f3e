/// Door: CONNECT, absolute-form and transparent connections; TLS hellos, tunnels, inspection, and
/// each request and WebSocket that can be read.
///
/// Posture: hostile sandbox; hostile upstream for what comes back through a tunnel or WebSocket.
@NullMarked
package dev.sallyport.egress;

import org.jspecify.annotations.NullMarked;
