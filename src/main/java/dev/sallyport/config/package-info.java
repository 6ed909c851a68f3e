/// A file becomes immutable records or an error that names line, key, rule and remedy, and records
/// become files for other programs; every limit of the data plane lives here with its unit.
///
/// Posture: trusted input only. The configuration of a person's other tools adds hosts and never
/// fails; a project file is not parsed before a person trusted its bytes.
@NullMarked
package dev.sallyport.config;

import org.jspecify.annotations.NullMarked;
