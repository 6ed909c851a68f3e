/// Where root serves all accounts of a machine: asks the kernel who knocks, and sees to it that
/// each has a warden of its own.
///
/// Posture: hostile local users. Nothing that they send is read.
@NullMarked
package dev.sallyport.gatehouse;

import org.jspecify.annotations.NullMarked;
