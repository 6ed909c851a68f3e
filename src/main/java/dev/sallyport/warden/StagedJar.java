package dev.sallyport.warden;

import dev.sallyport.config.ConfigException;
import dev.sallyport.confine.Jvm;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// The program in a place where the gateway's user can read it: a root user's jar usually lies in a
/// directory that is closed to others.
///
/// @param aotCache the class cache that goes with it, when there is one
record StagedJar(Path jar, Optional<Path> aotCache) {
    private static final String JAR_NAME = "sallyport.jar";
    private static final int BUILDS_KEPT = 4;

    /// What this process itself runs.
    static StagedJar own() throws IOException {
        Path jar = Path.of(System.getProperty("java.class.path", "")).toAbsolutePath();
        if (!Files.isRegularFile(jar)) {
            throw new ConfigException(
                    "The daemon does not run from a jar.", "Start it with: sallyport up");
        }
        return new StagedJar(jar, Jvm.GATEWAY.cache(jar));
    }

    /// Copies it to a directory of its own, once.
    StagedJar stage(Path state) throws IOException {
        Path builds = state.resolve("app");
        Path directory = builds.resolve(identity(jar));
        GatewayAccount.openDirectory(builds);
        GatewayAccount.openDirectory(directory);
        Path copy = copy(jar, directory.resolve(JAR_NAME));
        Optional<Path> cache = Optional.empty();
        if (aotCache.isPresent()) {
            String name = identity(aotCache.get()) + ".aot";
            cache = Optional.of(copy(aotCache.get(), directory.resolve(name)));
        }
        Files.setLastModifiedTime(directory, FileTime.from(Instant.now()));
        removeOld(builds);
        return new StagedJar(copy, cache);
    }

    /// Earlier builds go, but for a few that another installation may still run.
    private static void removeOld(Path directory) throws IOException {
        try (Stream<Path> builds = Files.list(directory)) {
            List<Path> old =
                    builds.sorted(Comparator.comparing(StagedJar::age).reversed())
                            .skip(BUILDS_KEPT)
                            .toList();
            for (Path build : old) {
                SecureRemoval.remove(build);
            }
        }
    }

    private static FileTime age(Path build) {
        try {
            return Files.getLastModifiedTime(build);
        } catch (IOException e) {
            return FileTime.fromMillis(0);
        }
    }

    /// Complete or absent: written beside and moved. The time stamp is kept, because the class
    /// cache is bound to it, and nothing else: whoever owns the file does not own the copy.
    private static Path copy(Path from, Path to) throws IOException {
        if (Files.exists(to)) {
            return to;
        }
        Path temporary = Files.createTempFile(to.getParent(), ".new", "");
        try {
            try (OutputStream out = Files.newOutputStream(temporary)) {
                Files.copy(from, out);
            }
            Files.setLastModifiedTime(temporary, Files.getLastModifiedTime(from));
            Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(temporary, to, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
        return to;
    }

    /// Another one for each change of the file, by what the file system says of it: to read it
    /// takes longer than the rest of a warden's start.
    private static String identity(Path file) throws IOException {
        Map<String, Object> seen = Files.readAttributes(file, "unix:dev,ino,size");
        FileTime changed = (FileTime) Files.getAttribute(file, "unix:ctime");
        return "%s-%s-%s-%s"
                .formatted(
                        seen.get("dev"),
                        seen.get("ino"),
                        seen.get("size"),
                        changed.to(TimeUnit.NANOSECONDS));
    }
}
