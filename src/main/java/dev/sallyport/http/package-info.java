/// HTTP/1.1 and HTTP/2 hygiene for every door: limits, framing, hop-by-hop headers, writing a
/// refusal.
///
/// Posture: hostile sandbox.
@NullMarked
package dev.sallyport.http;

import org.jspecify.annotations.NullMarked;
