package dev.sallyport.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.config.AgentProfile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Finds the program of an agent as a person's shell would, and what a sandbox must see of it: no
/// more than its package, and the node or Python that runs it. Shims of version managers are
/// followed by what is on the disk; nothing is run.
public final class ProgramSearch {
    /// What every sandbox sees, or has of its own: it cannot be mounted.
    private static final Path SYSTEM = Path.of("/usr");

    private static final String MODULES = "node_modules";
    private static final Pattern NODE = Pattern.compile("#!.*[/ ]node(\\s.*)?");
    private static final Pattern HOME = Pattern.compile("home\\s*=\\s*(/[^\\x00]*?)\\s*");
    private static final Pattern VERSION = Pattern.compile("\\d+(\\.\\d+)+");
    private static final int FILE_BYTES_MAX = 1 << 20;
    private static final int SHEBANG_BYTES_MAX = 256;

    /// Follows symbolic links of the host.
    @FunctionalInterface
    public interface Links {
        /// The path without links; empty where one of them, or what they lead to, may be a
        /// sandbox's, which would choose what the next sandbox sees and runs (I15).
        Optional<Path> follow(Path path) throws IOException;
    }

    private final SearchPath path;
    private final Links links;

    /// @param environment the person's
    /// @param home theirs
    public ProgramSearch(Map<String, String> environment, Path home, Links links) {
        this.path = SearchPath.of(environment, home);
        this.links = links;
    }

    /// Empty when it is not on this machine.
    public Optional<FoundProgram> find(AgentProfile.Program program) throws IOException {
        Optional<Path> named = path.find(program.file(), links);
        return named.isEmpty() ? Optional.empty() : Optional.of(found(named.get(), program));
    }

    private FoundProgram found(Path named, AgentProfile.Program program) throws IOException {
        Path file = behindShims(named, program);
        Set<Path> mounts = new LinkedHashSet<>();
        List<Path> directories = new ArrayList<>();
        mounts.addAll(pythonTree(file));
        if (mounts.isEmpty()) {
            mounts.add(packageTree(file).orElse(file));
        }
        if (isRunByNode(file)) {
            Optional<Path> node = node(named, program);
            if (node.isPresent()) {
                mounts.addAll(nodeTree(node.get()));
                directories.add(node.get().resolveSibling(".").normalize());
            }
        }
        mounts.removeIf(mount -> mount.startsWith(SYSTEM));
        directories.removeIf(directory -> directory.startsWith(SYSTEM));
        return new FoundProgram(file, List.copyOf(mounts), directories, version(file));
    }

    /// The program itself. A shim of volta or pnpm is a program of theirs, which finds the package
    /// by files that a sandbox does not see.
    private Path behindShims(Path named, AgentProfile.Program program) throws IOException {
        Path file = links.follow(named).orElseThrow();
        if (program.npm().isEmpty() || packageTree(file).isPresent()) {
            return file;
        }
        for (Path modules : modulesAround(named, program.npm())) {
            Optional<Path> main = main(modules.resolve(program.npm()), program.file());
            if (main.isPresent()) {
                return main.get();
            }
        }
        return file;
    }

    /// Where volta (`bin/NAME`) and pnpm (`NAME`) keep what a shim stands for.
    private static List<Path> modulesAround(Path shim, String npm) throws IOException {
        Path bin = shim.resolveSibling(".").normalize();
        List<Path> places = new ArrayList<>();
        places.add(
                bin.resolveSibling("tools/image/packages")
                        .resolve(npm)
                        .resolve("lib")
                        .resolve(MODULES));
        Path global = bin.resolve("global");
        if (Files.isDirectory(global)) {
            try (DirectoryStream<Path> stores = Files.newDirectoryStream(global)) {
                stores.forEach(store -> places.add(store.resolve(MODULES)));
            }
        }
        return places;
    }

    /// What `bin` of a package says, as long as that lies in the package.
    private Optional<Path> main(Path directory, String program) throws IOException {
        JsonNode bin = json(directory.resolve("package.json")).path("bin");
        String main = bin.isTextual() ? bin.asText() : bin.path(program).asText();
        Path file = directory.resolve(main).normalize();
        boolean fits = !main.isEmpty() && file.startsWith(directory) && Files.isRegularFile(file);
        return fits ? links.follow(file) : Optional.empty();
    }

    /// The part of a tree of packages that one of them needs: itself where packages are installed
    /// for all (`lib/node_modules`), with all of them where they depend on each other.
    private static Optional<Path> packageTree(Path file) {
        Path above = file.getRoot();
        for (int i = 0; i < file.getNameCount() - 1; i++) {
            above = above.resolve(file.getName(i));
            if (file.getName(i).toString().equals(MODULES)) {
                boolean shared = i > 0 && file.getName(i - 1).toString().equals("lib");
                return Optional.of(shared ? packageIn(above, file) : above);
            }
        }
        return Optional.empty();
    }

    private static Path packageIn(Path modules, Path file) {
        Path below = modules.relativize(file);
        boolean scoped = below.getName(0).toString().startsWith("@");
        return modules.resolve(below.subpath(0, scoped ? 2 : 1));
    }

    /// The virtual environment that a Python program is in, and the Python that it was made with;
    /// empty for other programs. uv names that by a link beside it.
    private List<Path> pythonTree(Path file) throws IOException {
        Path environment = file.resolveSibling("..").normalize();
        Optional<Path> python = pythonOf(environment.resolve("pyvenv.cfg"));
        if (python.isEmpty()) {
            return List.of();
        }
        List<Path> trees = new ArrayList<>(List.of(environment));
        Optional<Path> real = links.follow(python.get());
        if (real.isPresent()) {
            Path beside = python.get().resolveSibling(".").normalize();
            boolean linked = !real.get().equals(python.get()) && real.get().startsWith(beside);
            trees.add(linked ? beside : real.get());
        }
        return trees;
    }

    /// The directory above its programs.
    private static Optional<Path> pythonOf(Path configuration) throws IOException {
        if (!Files.isRegularFile(configuration) || Files.size(configuration) > FILE_BYTES_MAX) {
            return Optional.empty();
        }
        return Files.readAllLines(configuration, StandardCharsets.ISO_8859_1).stream()
                .map(HOME::matcher)
                .filter(Matcher::matches)
                .map(line -> Path.of(line.group(1)).normalize().getParent())
                .filter(above -> above != null && above.getNameCount() > 0)
                .filter(Files::isDirectory)
                .findFirst();
    }

    private static boolean isRunByNode(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            String start =
                    new String(in.readNBytes(SHEBANG_BYTES_MAX), StandardCharsets.ISO_8859_1);
            return NODE.matcher(start.lines().findFirst().orElse("")).matches();
        }
    }

    /// The one beside the program, which is that of its version manager; or a person's own.
    private Optional<Path> node(Path named, AgentProfile.Program program) throws IOException {
        Path beside = named.resolveSibling("node");
        Optional<Path> found =
                SearchPath.isProgram(beside) ? Optional.of(beside) : path.find("node", links);
        Optional<Path> node = found.isEmpty() ? Optional.empty() : links.follow(found.get());
        return node.filter(file -> String.valueOf(file.getFileName()).startsWith("volta"))
                        .isPresent()
                ? voltasNode(named.resolveSibling("..").normalize(), program)
                : node;
    }

    private static Optional<Path> voltasNode(Path volta, AgentProfile.Program program)
            throws IOException {
        JsonNode ofPackage =
                json(volta.resolve("tools/user/bins").resolve(program.file() + ".json"));
        JsonNode ofPerson = json(volta.resolve("tools/user/platform.json"));
        String version =
                ofPackage
                        .path("platform")
                        .path("node")
                        .asText(ofPerson.path("node").path("runtime").asText());
        return VERSION.matcher(version).matches()
                ? Optional.of(volta.resolve("tools/image/node/" + version + "/bin/node"))
                        .filter(Files::isExecutable)
                : Optional.empty();
    }

    /// An installation of node is mounted with npm and what else was installed with it, but not
    /// with its configuration, which can hold a registry's token.
    private static List<Path> nodeTree(Path node) {
        Path prefix = node.resolveSibling("..").normalize();
        Path modules = prefix.resolve("lib").resolve(MODULES);
        boolean whole =
                Files.isDirectory(modules.resolve("npm"))
                        && Files.isDirectory(prefix.resolve("include/node"));
        return whole ? List.of(node.resolveSibling(".").normalize(), modules) : List.of(node);
    }

    private static Optional<String> version(Path file) throws IOException {
        for (Path above = file.getParent(); above != null; above = above.getParent()) {
            if (String.valueOf(above.getFileName()).equals(MODULES)) {
                break;
            }
            JsonNode version = json(above.resolve("package.json")).path("version");
            if (version.isTextual() && packageTree(file).isPresent()) {
                return Optional.of(version.asText());
            }
        }
        Matcher named = VERSION.matcher(String.valueOf(file.getFileName()));
        return named.matches() ? Optional.of(named.group()) : Optional.empty();
    }

    /// Nothing when it cannot be read: such a file says nothing about this program.
    private static JsonNode json(Path file) throws IOException {
        if (!Files.isRegularFile(file) || Files.size(file) > FILE_BYTES_MAX) {
            return new ObjectMapper().missingNode();
        }
        return new ObjectMapper().readTree(Files.readAllBytes(file));
    }

    /// The directories that hold a person's programs: those of `PATH`, and those where version
    /// managers and installers put programs, because a shell that is not interactive does not know
    /// these.
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
                            nvm ->
                                    directories.addAll(
                                            versions(nvm.resolve("versions/node"), "bin")));
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
}
