package dev.sallyport.sandbox;

import dev.sallyport.config.Seed;
import java.util.List;

/// Puts [Seed]s into a sandbox's home directory, and sets up [LargeFileSupport], before its first
/// command.
///
/// An earlier command may have left links, pipes and whatever else there. So no process of the host
/// ever opens a path in it: a script of ours, read-only, runs inside, as the sandbox's own user,
/// and what it could be led to the sandbox could do itself. Still it goes through no link, opens
/// nothing that is there, and leaves it alone unless the seed is to replace it.
public final class Seeding {
    /// Among the sandbox's files.
    public static final String SCRIPT = "seeds";

    /// The same inside, where it is needed.
    public static final String PLACE = SandboxTrust.DIRECTORY.resolve(SCRIPT).toString();

    /// Whoever opens a pipe waits, so nothing is opened that exists. A file is made first and then
    /// filled, because another sandbox with the same home may make it at the same moment; and it
    /// does not stay half-full. What replaces another file does so as a whole, because an agent may
    /// be reading that one.
    private static final String PUT =
            """
            umask 077
            put() (
                rest=$1
                cd -P -- "$HOME" || exit
                here=$(pwd -P)
                while [ "$rest" != "${rest#*/}" ]; do
                    part=${rest%%/*}
                    rest=${rest#*/}
                    here=${here%/}/$part
                    if [ ! -e "./$part" ] && [ ! -L "./$part" ]; then mkdir "./$part"; fi
                    if [ -L "./$part" ] || [ ! -d "./$part" ]; then exit 1; fi
                    cd -P "./$part" || exit
                    if [ "$(pwd -P)" != "$here" ]; then exit 1; fi
                done
                if [ "$3" = replace ] && [ -L "./$rest" ]; then rm -f "./$rest"; fi
                new=$rest
                if [ -e "./$rest" ] || [ -L "./$rest" ]; then
                    if [ "$3" = leave ] || [ -d "./$rest" ]; then exit 0; fi
                    new=.new-$$-$rest
                fi
                if (set -C; : > "./$new"); then
                    printf %s "$2" > "./$new" || rm -f "./$new"
                fi
                if [ "$new" != "$rest" ]; then mv -f "./$new" "./$rest"; fi
            )
            """;

    private Seeding() {}

    /// Whether there is anything to do inside before the first command.
    public static boolean isNeeded(SandboxSpec spec) {
        return !spec.home().seeds().isEmpty() || !spec.gitHosts().isEmpty();
    }

    /// Whatever it meets, it goes on with the next one, and ends well.
    static String script(SandboxSpec spec) {
        return script(spec.home().seeds())
                + (spec.gitHosts().isEmpty() ? "" : LargeFileSupport.SCRIPT);
    }

    static String script(List<Seed> seeds) {
        StringBuilder text = new StringBuilder(PUT);
        for (Seed seed : seeds) {
            text.append("put ")
                    .append(ShellWords.quote(List.of(seed.path(), seed.content())))
                    .append(seed.replaces() ? " replace" : " leave")
                    .append(" 2>/dev/null || :\n");
        }
        return text.toString();
    }
}
