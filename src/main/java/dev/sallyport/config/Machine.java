package dev.sallyport.config;

import java.nio.file.Path;

/// Where the configuration of a person's own tools is on this machine.
///
/// @param home the person's home directory
/// @param etc the configuration of the machine, `/etc`
public record Machine(Path home, Path etc) {
    public static Machine current() {
        return new Machine(Home.personsHome(System.getenv()), Path.of("/etc"));
    }
}
