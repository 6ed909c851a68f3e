package dev.sallyport.config;

/// The values that a number may take in a policy file.
record LimitRange(long min, long max) {}
