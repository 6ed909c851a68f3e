package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A path of the host in the three ways by which it can be the same as another: its name, the
/// numbers of the file and of the directories above it (bind mounts, case-insensitive file
/// systems), and where it lies in its file system (a bind mount of something below).
record HostPath(
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
