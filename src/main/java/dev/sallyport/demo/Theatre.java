package dev.sallyport.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/// All that the demo sets up and takes down: a state directory and daemons of its own, a git server
/// with two private repositories, and one sandbox. It drives Sallyport as a person does, through
/// the command line.
final class Theatre implements AutoCloseable {
    static final String HOST = "git.demo.test";
    static final String USER = "robot";
    static final String SANDBOX = "demo";
    private static final ObjectMapper JSON = new ObjectMapper();

    /// Longer than a command line gives its own command to end.
    private static final int END_SECONDS_MAX = 15;

    private final Path root;
    private final List<String> program;
    private final GitUpstream upstream;
    private final String token;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile Optional<Process> running = Optional.empty();

    private Theatre(Path root, List<String> program, GitUpstream upstream, String token) {
        this.root = root;
        this.program = program;
        this.upstream = upstream;
        this.token = token;
    }

    /// @param program how the command line is started, without arguments
    static Theatre build(List<String> program) throws IOException, GeneralSecurityException {
        Path root =
                Files.createTempDirectory(
                        Path.of("/tmp"),
                        "sp-demo-",
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")));
        String token = newToken();
        Path repositories = Files.createDirectory(root.resolve("upstream"));
        Git.newRepository(
                repositories, "acme/app", Map.of("README.md", "# The app\n", "app.txt", "1\n"));
        Git.newRepository(repositories, "acme/secret-plans", Map.of("plans.txt", "secret\n"));
        GitUpstream upstream = GitUpstream.start(HOST, repositories, USER, token);
        Theatre theatre = new Theatre(root, program, upstream, token);
        theatre.configure();
        return theatre;
    }

    private static String newToken() {
        byte[] random = new byte[20];
        new SecureRandom().nextBytes(random);
        // Characters that change under URL encoding and Base64, so that each form is searched for.
        return "demo+/" + HexFormat.of().formatHex(random) + "=";
    }

    private void configure() throws IOException {
        Files.createDirectory(
                home(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createDirectory(workspace());
        privateFile(home().resolve("demo-ca.pem"), upstream.caPem());
        privateFile(home().resolve("policy.yaml"), upstream.policyEntry("demo-ca.pem"));
    }

    private static void privateFile(Path file, String text) throws IOException {
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, text);
    }

    Path home() {
        return root.resolve("h");
    }

    /// The only directory of this machine that the sandbox may write to.
    Path workspace() {
        return root.resolve("work");
    }

    Path scratch() {
        return root;
    }

    GitUpstream upstream() {
        return upstream;
    }

    String token() {
        return token;
    }

    /// What the upstream has for a ref; empty when it has none.
    Optional<String> upstreamRef(String repo, String ref) {
        try {
            Path bare = root.resolve("upstream").resolve(repo + ".git");
            return Optional.of(Git.run(bare, "rev-parse", "--verify", "-q", ref));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// All refs of a repository at the upstream, to show that none has changed.
    String upstreamRefs(String repo) throws IOException {
        return Git.run(root.resolve("upstream").resolve(repo + ".git"), "for-each-ref");
    }

    Shell.Said sallyport(String... arguments) throws IOException {
        return sallyportWithInput("", arguments);
    }

    Shell.Said sallyportWithInput(String in, String... arguments) throws IOException {
        if (closed.get()) {
            throw new IOException("the demo was interrupted");
        }
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of(arguments));
        return Shell.run(root, command, environment(), in, this::endWhenClosed);
    }

    /// Whichever of this and [#close] comes second sees the other.
    private void endWhenClosed(Process process) {
        running = Optional.of(process);
        if (closed.get()) {
            process.destroy();
        }
    }

    /// The JSON answer of a command that must succeed.
    JsonNode ask(String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--json");
        Shell.Said said = sallyport(all.toArray(String[]::new));
        if (!said.ok()) {
            throw new IOException("sallyport " + arguments[0] + ": " + said.lastLine());
        }
        return JSON.readTree(said.out().getBytes(StandardCharsets.ISO_8859_1));
    }

    /// Runs a script inside the sandbox.
    Shell.Said inside(String script) throws IOException {
        return sallyport("exec", SANDBOX, "--", "bash", "-c", script);
    }

    private Map<String, String> environment() {
        Map<String, String> environment = new TreeMap<>();
        environment.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        environment.put("LANG", "C.UTF-8");
        environment.put("SALLYPORT_HOME", home().toString());
        environment.put("HOME", System.getProperty("user.home"));
        return environment;
    }

    /// Leaves nothing behind, however far the demo got. Runs once; also when the person interrupts.
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        running.ifPresent(Theatre::end);
        if (Files.exists(home().resolve("run").resolve("control.sock"))) {
            lastly("destroy", SANDBOX);
            lastly("down");
        }
        upstream.close();
        removeFiles();
    }

    /// A command that is still on its way would start the daemons again after they were told to
    /// end.
    private static void end(Process process) {
        process.destroy();
        try {
            if (!process.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// In a session of its own, because the person's Ctrl-C reaches everything in ours.
    private void lastly(String... arguments) {
        List<String> command = new ArrayList<>(List.of("setsid", "--wait"));
        command.addAll(program);
        command.addAll(List.of(arguments));
        try {
            Shell.run(root, command, environment(), "");
        } catch (IOException e) {
            System.getLogger("demo").log(System.Logger.Level.WARNING, e.getMessage());
        }
    }

    private void removeFiles() {
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the demo's files in " + root + " stay behind", e);
        }
    }
}
