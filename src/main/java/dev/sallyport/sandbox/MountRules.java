package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Decides by its place whether something of the host may be seen in a sandbox.
///
/// A wrong mount undoes everything else: it can hold keys, the host's configuration, or sockets of
/// services that act for whoever connects. So every rule looks at what a path really leads to, and
/// looks in both directions: a directory that *contains* something dangerous exposes it as well,
/// also when it does so by a mount below it.
public final class MountRules {
    /// File systems that are views of the kernel, wherever they are mounted.
    private static final Set<String> KERNEL_TYPES =
            Set.of(
                    "bpf",
                    "cgroup",
                    "cgroup2",
                    "configfs",
                    "debugfs",
                    "devpts",
                    "devtmpfs",
                    "efivarfs",
                    "nsfs",
                    "proc",
                    "pstore",
                    "securityfs",
                    "sysfs",
                    "tracefs");

    private record Known(Places.Place place, HostPath real) {}

    private final MountTable mounts;
    private final List<Known> places;
    private final Installation installation;

    /// @param named path to the variable of the caller's environment that names it
    public MountRules(Person person, Installation installation, Map<Path, String> named)
            throws SandboxException {
        this.installation = installation;
        try {
            this.mounts = MountTable.of("self");
        } catch (IOException e) {
            throw new SandboxException("the mount table cannot be read.", e);
        }
        this.places =
                Places.of(person, installation, named).stream()
                        .map(place -> new Known(place, HostPath.of(place.path(), mounts)))
                        .toList();
    }

    /// Compares names only, without a look at any file, so the answer comes at once. The command
    /// line asks before it searches a directory. The warden checks with all rules, which find more.
    ///
    /// @throws SandboxException when it cannot be a workspace
    public static void requirePlace(
            Path canonical,
            boolean insisted,
            Person person,
            Installation installation,
            Map<Path, String> named)
            throws SandboxException {
        HostPath candidate = HostPath.byName(canonical);
        List<Known> places =
                Places.of(person, installation, named).stream()
                        .map(place -> new Known(place, HostPath.byName(place.path())))
                        .toList();
        Optional<String> obstacle =
                wholeFileSystem(canonical)
                        .or(() -> obstacle(candidate, places, installation, insisted));
        if (obstacle.isPresent()) {
            throw Workspace.refusal(canonical, obstacle.get());
        }
    }

    /// Why a canonical path may not be mounted, as the rest of a sentence that names it.
    ///
    /// @param insisted whether only those places count that nobody can insist on
    Optional<String> obstacle(Path canonical, boolean insisted) {
        return wholeFileSystem(canonical)
                .or(() -> oneObstacle(canonical, insisted))
                .or(() -> obstacleBelow(canonical, insisted));
    }

    private static Optional<String> wholeFileSystem(Path canonical) {
        return canonical.getNameCount() == 0
                ? Optional.of("it is the whole file system")
                : Optional.empty();
    }

    /// Mounts in a directory come along with it.
    private Optional<String> obstacleBelow(Path canonical, boolean insisted) {
        return mounts.pointsIn(canonical).stream()
                .flatMap(
                        point ->
                                oneObstacle(point, insisted)
                                        .map(why -> point + " is mounted in it, and " + why)
                                        .stream())
                .findFirst();
    }

    /// Whether a file can also be reached in one of these directories by a name that does not begin
    /// with that directory's, because something is mounted twice.
    boolean hasOtherName(Path file, List<Path> directories) {
        HostPath target = HostPath.of(file, mounts);
        return directories.stream()
                .flatMap(
                        directory ->
                                Stream.concat(
                                        Stream.of(directory), mounts.pointsIn(directory).stream()))
                .filter(directory -> !file.startsWith(directory))
                .anyMatch(directory -> target.isWithin(HostPath.of(directory, mounts)));
    }

    private Optional<String> oneObstacle(Path path, boolean insisted) {
        if (mounts.innermost(path).filter(m -> KERNEL_TYPES.contains(m.type())).isPresent()) {
            return Optional.of("it is a kernel file system");
        }
        return obstacle(HostPath.of(path, mounts), places, installation, insisted);
    }

    private static Optional<String> obstacle(
            HostPath candidate, List<Known> places, Installation installation, boolean insisted) {
        boolean isClone = installation.clones().equals(candidate.path.getParent());
        return places.stream()
                .filter(known -> known.place.absolute() || !insisted)
                // A clone of ours lies in our state directory and has nothing of it.
                .filter(known -> !isClone || !known.place.path().equals(installation.home()))
                .filter(known -> isRefused(candidate, known))
                .map(known -> reason(candidate, known))
                .findFirst();
    }

    private static boolean isRefused(HostPath candidate, Known known) {
        return switch (known.place.extent()) {
            case ITSELF -> candidate.isSameAs(known.real);
            case CONTAINING -> contains(candidate, known);
            case OVERLAPPING -> contains(candidate, known) || isIn(candidate, known);
        };
    }

    /// The place as it is listed counts as well, although it may be a symbolic link.
    private static boolean contains(HostPath candidate, Known known) {
        return known.real.isWithin(candidate) || known.place.path().startsWith(candidate.path());
    }

    private static boolean isIn(HostPath candidate, Known known) {
        return candidate.isWithin(known.real) || candidate.path().startsWith(known.place.path());
    }

    private static String reason(HostPath candidate, Known known) {
        String verb =
                switch (known.place.extent()) {
                    case ITSELF -> "it is ";
                    case CONTAINING -> "it is or contains ";
                    case OVERLAPPING -> "it overlaps with ";
                };
        boolean byName =
                candidate.path().startsWith(known.real.path())
                        || known.real.path().startsWith(candidate.path());
        return verb + known.place.what() + (byName ? "" : ", by another name");
    }

    /// A path of the host in the three ways by which it can be the same as another: its name, the
    /// numbers of the file and of the directories above it (bind mounts, case-insensitive file
    /// systems), and where it lies in its file system (a bind mount of something below).
    private record HostPath(
            Path path,
            Optional<Object> key,
            List<Object> keysAbove,
            Optional<MountTable.Location> location) {

        /// Of a path that may not exist; then only its directories have numbers.
        static HostPath of(Path named, MountTable mounts) {
            Path path = resolved(named);
            Optional<Object> key = key(path);
            List<Object> above = new ArrayList<>();
            for (Path parent = path.getParent(); parent != null; parent = parent.getParent()) {
                key(parent).ifPresent(above::add);
            }
            return new HostPath(path, key, above, mounts.locate(path));
        }

        /// Without a look at any file.
        static HostPath byName(Path path) {
            return new HostPath(path.normalize(), Optional.empty(), List.of(), Optional.empty());
        }

        private static Path resolved(Path path) {
            try {
                return path.toRealPath();
            } catch (IOException e) {
                return path.toAbsolutePath().normalize();
            }
        }

        private static Optional<Object> key(Path path) {
            try {
                return Optional.ofNullable(
                        Files.readAttributes(path, BasicFileAttributes.class).fileKey());
            } catch (IOException e) {
                return Optional.empty();
            }
        }

        boolean isSameAs(HostPath other) {
            return path.equals(other.path)
                    || (key.isPresent() && key.equals(other.key))
                    || (location.isPresent() && location.equals(other.location));
        }

        boolean isWithin(HostPath other) {
            return isSameAs(other)
                    || path.startsWith(other.path)
                    || other.key.filter(keysAbove::contains).isPresent()
                    || location.filter(own -> other.location.filter(own::isWithin).isPresent())
                            .isPresent();
        }
    }
}
