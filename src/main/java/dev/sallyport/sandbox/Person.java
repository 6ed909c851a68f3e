package dev.sallyport.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The account that runs Sallyport, on whose behalf sandboxes are made.
///
/// @param home home directory as the account database names it
public record Person(int uid, int gid, String name, Path home) {
    public static Person current() {
        Path self = Path.of("/proc/self");
        try {
            return new Person(
                    (int) Files.getAttribute(self, "unix:uid"),
                    (int) Files.getAttribute(self, "unix:gid"),
                    System.getProperty("user.name", "user"),
                    Path.of(System.getProperty("user.home", "/nonexistent")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public boolean isRoot() {
        return uid == 0;
    }
}
