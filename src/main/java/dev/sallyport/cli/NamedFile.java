package dev.sallyport.cli;

import java.nio.file.Files;
import java.nio.file.Path;

/// A file that a person names to be read, from their directory. What is none is said with its name
/// before anybody tries to read it: the system's own words are only "Is a directory".
final class NamedFile {
    /// @param option that names it, such as `--file`
    static Path of(Surroundings surroundings, String option, Path named) throws CliException {
        Path file = surroundings.directory().resolve(named).toAbsolutePath();
        if (Files.isDirectory(file)) {
            throw ExitCode.USAGE.because(
                    "not-a-file",
                    file + " is a directory.",
                    "Give " + option + " a file, such as one of those in it.");
        }
        if (Files.notExists(file)) {
            throw ExitCode.NOT_FOUND.because(
                    "no-file",
                    file + " does not exist.",
                    "Give " + option + " the path of an existing file.");
        }
        return file;
    }
}
