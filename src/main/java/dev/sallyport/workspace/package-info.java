/// What is in a person's workspace, read and never run: git's configuration and hooks, files that
/// make the host's programs run code, files with credentials.
///
/// Posture: hostile sandbox.
@NullMarked
package dev.sallyport.workspace;

import org.jspecify.annotations.NullMarked;
