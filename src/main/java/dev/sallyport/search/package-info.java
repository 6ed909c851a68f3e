/// Searches bytes for many words at once.
///
/// Posture: hostile sandbox and hostile upstream; what is searched was written by either.
@NullMarked
package dev.sallyport.search;

import org.jspecify.annotations.NullMarked;
