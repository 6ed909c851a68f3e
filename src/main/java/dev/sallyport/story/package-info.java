/// What the record says, in words and sums: for the terminal and for the page.
///
/// Posture: lines of the record, whose values may be words of a sandbox; they stay text.
@NullMarked
package dev.sallyport.story;

import org.jspecify.annotations.NullMarked;
