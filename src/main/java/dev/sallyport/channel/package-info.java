/// The sealed message protocol between warden and gateway.
///
/// Posture: trusted input only; the gateway's end may be compromised, so the warden's end trusts
/// nothing but the message table.
@NullMarked
package dev.sallyport.channel;

import org.jspecify.annotations.NullMarked;
