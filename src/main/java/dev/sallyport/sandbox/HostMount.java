package dev.sallyport.sandbox;

import java.nio.file.Path;

/// A file or directory of the host that a sandbox has at the same path, besides its workspace.
///
/// @param path canonical once it was checked
/// @param unsafe whether the person insisted on it although it was refused
public record HostMount(Path path, boolean writable, boolean unsafe) {}
