/// What a process of ours gives up before it meets anything hostile: system calls (seccomp), files
/// (Landlock), that others see its memory, and what its JVM could do and take. Also system calls by
/// number, and how to open a file that a sandbox may replace.
///
/// Posture: trusted input only.
@NullMarked
package dev.sallyport.confine;

import org.jspecify.annotations.NullMarked;
