/// What a process of ours gives up before it meets anything hostile: system calls (seccomp) and
/// files (Landlock).
///
/// Posture: trusted input only.
@NullMarked
package dev.sallyport.confine;

import org.jspecify.annotations.NullMarked;
