/// The keys between machines of the remote tier: the authority of a gateway's machine, its
/// enrolment codes, the hosts that were enrolled, what they sign, and the certificates of sessions.
///
/// Posture: trusted side. What another machine sent is taken apart no further than its envelope
/// before a signature or a MAC was verified. The body of a request is never parsed here.
@NullMarked
package dev.sallyport.fleet;

import org.jspecify.annotations.NullMarked;
