package dev.sallyport.warden;

import dev.sallyport.config.Home;
import java.io.IOException;
import java.util.Optional;

/// The port that a person wants to be open for other machines, whether a warden runs or not.
public final class WantedPort {
    private WantedPort() {}

    /// Empty when there is none, or when it cannot be read.
    public static Optional<String> of(Home home) {
        try {
            return new FleetFiles.Source(home.fleet(), Optional.empty(), Optional.empty())
                    .port()
                    .map(FleetFiles.Source.Wanted::listen);
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
