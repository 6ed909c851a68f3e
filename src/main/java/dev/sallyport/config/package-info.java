/// A file becomes immutable records or an error that names line, key, rule and remedy; every limit
/// of the data plane lives here with its unit.
///
/// Posture: trusted input only.
@NullMarked
package dev.sallyport.config;

import org.jspecify.annotations.NullMarked;
