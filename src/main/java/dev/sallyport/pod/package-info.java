/// The sidecar of a pod (ADR 40): one process without a warden beside it. It proves with the pod's
/// token which pod it is, opens the sockets of a sandbox on the pod's own loopback, and carries
/// what connects there to the gateway, as a [dev.sallyport.sidecar.Sidecar] does anywhere.
///
/// Posture: hostile sandbox, hostile network.
@NullMarked
package dev.sallyport.pod;

import org.jspecify.annotations.NullMarked;
