/// Door: the API of a git host, for the repositories that are granted; what is asked, what may be
/// answered, and the one rule about texts.
///
/// Posture: hostile sandbox; hostile upstream for what comes back.
@NullMarked
package dev.sallyport.forge;

import org.jspecify.annotations.NullMarked;
