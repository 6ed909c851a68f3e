/// What a process of ours gives up before it meets anything hostile: system calls (seccomp), files
/// (Landlock), and that others see its memory.
///
/// Posture: trusted input only.
@NullMarked
package dev.sallyport.confine;

import org.jspecify.annotations.NullMarked;
