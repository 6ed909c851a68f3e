/// Writes the pod of an agent for Kubernetes: a sidecar that carries its connections to a gateway,
/// and rules that leave it no other way.
///
/// Posture: *trusted input only*. A person's words become values of the document, never its shape.
@NullMarked
package dev.sallyport.kubernetes;

import org.jspecify.annotations.NullMarked;
