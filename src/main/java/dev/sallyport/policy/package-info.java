/// Decides. Parses and canonicalises names; returns a `Decision`; mints a `Permit`.
///
/// Posture: hostile sandbox: every name it parses may come from one.
@NullMarked
package dev.sallyport.policy;

import org.jspecify.annotations.NullMarked;
