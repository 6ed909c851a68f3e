/// How a machine with sandboxes, or a pod, asks the gateway of another machine for something: one
/// signed line for each request, over TLS to an authority that it has pinned.
///
/// Posture: hostile network. What the gateway answers is believed as far as its certificate goes.
@NullMarked
package dev.sallyport.host;

import org.jspecify.annotations.NullMarked;
