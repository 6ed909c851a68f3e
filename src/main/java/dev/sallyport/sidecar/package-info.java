/// The process that carries one sandbox's connections to a gateway on another machine: it accepts
/// on sockets that live in the sandbox, and holds one short-lived key. It passes bytes on and reads
/// none of them. Posture: hostile sandbox, hostile network.
@NullMarked
package dev.sallyport.sidecar;

import org.jspecify.annotations.NullMarked;
