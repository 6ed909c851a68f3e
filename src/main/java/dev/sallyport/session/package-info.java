/// Whose connection is this, what may it still do, until when; owns the store.
///
/// Posture: trusted input only.
@NullMarked
package dev.sallyport.session;

import org.jspecify.annotations.NullMarked;
