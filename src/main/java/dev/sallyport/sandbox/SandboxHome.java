package dev.sallyport.sandbox;

import dev.sallyport.config.Seed;
import java.util.List;

/// The home directory of a sandbox.
///
/// @param seeds files that are put there at each start, where there are none
public record SandboxHome(List<Seed> seeds) {
    public static final SandboxHome BARE = new SandboxHome(List.of());

    public SandboxHome {
        seeds = Seed.few(seeds);
    }
}
