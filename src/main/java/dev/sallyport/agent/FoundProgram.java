package dev.sallyport.agent;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// A program of the host, and what a sandbox must see to run it.
///
/// @param file the program itself, behind all links
/// @param mounts what lies where a sandbox sees nothing by itself; read-only there
/// @param directories what the search path inside begins with
/// @param version as its package says, without asking the program
public record FoundProgram(
        Path file, List<Path> mounts, List<Path> directories, Optional<String> version) {
    public FoundProgram {
        mounts = List.copyOf(mounts);
        directories = List.copyOf(directories);
    }
}
