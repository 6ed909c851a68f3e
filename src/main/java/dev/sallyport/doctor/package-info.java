/// Looks at the host before something goes wrong on it, and says what to do about what it finds.
/// Starts nothing that stays, and changes nothing.
///
/// Posture: trusted input only.
@NullMarked
package dev.sallyport.doctor;

import org.jspecify.annotations.NullMarked;
