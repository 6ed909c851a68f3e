/// Finds on this machine what an agent's profile speaks of: its program with what that needs to
/// run, and the registries that a project takes packages from.
///
/// Posture: trusted input only, except for the names of files in a workspace. Nothing that is found
/// is run or written to here; what is found in the wrong place, the warden refuses to mount.
@NullMarked
package dev.sallyport.agent;

import org.jspecify.annotations.NullMarked;
