/// The part of the git door that serves Git LFS: batches, transfers, locks that can be read.
///
/// Posture: hostile sandbox and hostile upstream.
@NullMarked
package dev.sallyport.lfs;

import org.jspecify.annotations.NullMarked;
