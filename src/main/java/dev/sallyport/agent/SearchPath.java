package dev.sallyport.agent;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// The directories that hold a person's programs: those of `PATH`, and those where version managers
/// and installers put programs, because a shell that is not interactive does not know these.
record SearchPath(List<Path> directories) {
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

    /// Relative to the home directory.
    private static final List<String> PLACES =
            List.of(
                    ".local/bin",
                    "bin",
                    ".npm-global/bin",
                    ".npm-packages/bin",
                    ".volta/bin",
                    ".local/share/pnpm",
                    ".bun/bin",
                    ".opencode/bin");

    /// Those that hold one directory for each version of node.
    private static final List<String> VERSIONED =
            List.of(
                    ".nvm/versions/node/*/bin",
                    ".local/share/fnm/node-versions/*/installation/bin");

    SearchPath {
        directories = List.copyOf(directories);
    }

    static SearchPath of(Map<String, String> environment, Path home) {
        Set<Path> directories = new LinkedHashSet<>();
        for (String text : environment.getOrDefault("PATH", "").split(":", -1)) {
            absolute(text).ifPresent(directories::add);
        }
        absolute(environment.getOrDefault("VOLTA_HOME", ""))
                .ifPresent(volta -> directories.add(volta.resolve("bin")));
        absolute(environment.getOrDefault("PNPM_HOME", "")).ifPresent(directories::add);
        PLACES.forEach(place -> directories.add(home.resolve(place)));
        absolute(environment.getOrDefault("NVM_DIR", ""))
                .ifPresent(
                        nvm -> directories.addAll(versions(nvm.resolve("versions/node"), "bin")));
        for (String pattern : VERSIONED) {
            String[] parts = pattern.split("/\\*/", 2);
            directories.addAll(versions(home.resolve(parts[0]), parts[1]));
        }
        return new SearchPath(List.copyOf(directories));
    }

    /// A relative entry means another directory wherever one is.
    private static Optional<Path> absolute(String text) {
        try {
            return Optional.of(Path.of(text)).filter(Path::isAbsolute).map(Path::normalize);
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    /// The newest first.
    private static List<Path> versions(Path parent, String below) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> children = Files.newDirectoryStream(parent)) {
            children.forEach(found::add);
        } catch (IOException e) {
            return List.of();
        }
        found.sort(Comparator.comparing(SearchPath::number).reversed());
        return found.stream().map(version -> version.resolve(below)).toList();
    }

    /// Its parts as one word that sorts like the version.
    private static String number(Path version) {
        StringBuilder word = new StringBuilder();
        NUMBER.matcher(version.toString())
                .results()
                .forEach(
                        part ->
                                word.append("0".repeat(9 - part.group().length()))
                                        .append(part.group()));
        return word.toString();
    }

    /// The first of this name that can be run, as it is named there.
    Optional<Path> find(String name, Links links) throws IOException {
        for (Path directory : directories) {
            Path file = directory.resolve(name);
            if (isProgram(file) && links.follow(file).isPresent()) {
                return Optional.of(file);
            }
        }
        return Optional.empty();
    }

    static boolean isProgram(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file);
    }
}
