package dev.sallyport.config;

import java.nio.file.Path;
import java.util.Map;

/// Where the configuration of a person's own tools is on this machine.
///
/// @param home the person's home directory
/// @param etc the configuration of the machine, `/etc`
public record Machine(Path home, Path etc) {
    public static Machine current() {
        return of(System.getenv());
    }

    /// The machine as somebody with these variables sees it.
    public static Machine of(Map<String, String> environment) {
        return new Machine(Home.personsHome(environment), Path.of("/etc"));
    }
}
