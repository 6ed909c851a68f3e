/// Benchmarks: each figure is a ratio to a contender that was measured in the same run.
@NullMarked
package dev.sallyport.bench;

import org.jspecify.annotations.NullMarked;
