package dev.sallyport.forge;

import java.util.Optional;

/// What a number of a repository stands for.
public sealed interface Numbered {
    /// A pull request.
    ///
    /// @param head empty when its repository is gone, or its names are none that we take
    record Pull(Optional<PullHead> head) implements Numbered {}

    /// No pull request: an issue, or nothing at all. Somebody may turn an issue into a pull
    /// request, so whoever keeps this keeps it for seconds.
    record Other() implements Numbered {}
}
