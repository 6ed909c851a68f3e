package dev.sallyport.sandbox;

import dev.sallyport.config.Seed;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The home directory of a sandbox.
///
/// @param directory of ours on disk, with a home for each user in it; empty for a home that goes
///   with the sandbox
/// @param seeds files that are put there at each start
public record SandboxHome(Optional<Path> directory, List<Seed> seeds) {
    public static final SandboxHome BARE = new SandboxHome(Optional.empty(), List.of());

    /// Where one that lasts is inside. Not where the person's own home is: workspaces lie there,
    /// and a mount on a path that an earlier command could fill with links may end anywhere.
    public static final Path PLACE = Path.of("/home/sallyport");

    public SandboxHome {
        seeds = Seed.few(seeds);
    }

    /// The person as they are inside.
    public Person inhabitant(Person person) {
        return directory.isPresent()
                ? new Person(person.uid(), person.gid(), person.name(), PLACE)
                : person;
    }
}
