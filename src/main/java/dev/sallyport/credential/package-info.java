/// Holds real secrets and the authorities of sandboxes: writes a secret into a request, keeps it
/// out of the answer, signs certificates for inspected hosts; nothing else can read one. The key of
/// a certificate can be had as such ([CertifiedKey]), because TLS needs it.
///
/// Posture: trusted input only, but for `EchoGuard` and `TokenAnswer`, which read what a hostile
/// upstream answers.
@NullMarked
package dev.sallyport.credential;

import org.jspecify.annotations.NullMarked;
