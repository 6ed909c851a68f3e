/// Carries the connections of a sandbox on another machine to the gateway: each is one stream of
/// HTTP/2 over TLS 1.3 that both sides authenticate. What is in a stream is not read here.
///
/// Posture: hostile sandbox, and at the gateway's end a hostile machine that runs sandboxes.
@NullMarked
package dev.sallyport.carry;

import org.jspecify.annotations.NullMarked;
