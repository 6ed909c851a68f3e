package dev.sallyport.cli;

import dev.sallyport.channel.ListenerKind;
import dev.sallyport.config.Home;
import dev.sallyport.confine.Jvm;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.sandbox.HostProgram;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// What the launcher runs once after a build: each role does once what it will do often, with a
/// home that nobody uses, while its JVM notes which classes it needs (JEP 514). A role whose
/// training fails, say because this machine makes no sandboxes, starts more slowly and works.
final class Training {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(30);
    private static final Duration ROLE_MAX = Duration.ofSeconds(90);
    private static final Duration INTERVAL = Duration.ofMillis(20);

    /// A cache is mapped where it was made for. The place is drawn among 16,000, above the Java
    /// heap and below programs and libraries, so that it differs from one installation to the next.
    private static final long PLACE_BYTES = 4L << 30;

    private static final int PLACES = 16_000;
    private static final int PAGE_BYTES = 4_096;
    private static final int PLACES_LEFT_OUT = 16;

    private static final List<String> NAMESPACES =
            List.of("unshare", "--user", "--map-root-user", "--net", "--");
    private static final String REHEARSAL = String.join(" ", NAMESPACES) + " \"$@\" || exec \"$@\"";
    private static final String PORTER =
            "net=$(stat -Lc %i /proc/self/ns/net) && exec \"$@\" \"$net\" ";

    private final Path directory;
    private final Path jar;
    private final String place = "-XX:SharedBaseAddress=" + drawPlace();

    /// @param directory where the jar is and the caches go
    Training(Path directory) {
        this.directory = directory;
        this.jar = directory.resolve("sallyport.jar");
    }

    private static long drawPlace() {
        return (PLACES_LEFT_OUT + new SecureRandom().nextInt(PLACES)) * PLACE_BYTES;
    }

    void run() throws IOException, InterruptedException {
        Path root = Files.createTempDirectory("sallyport-train-");
        Home home = new Home(root.resolve("home"));
        try {
            home.create();
            makeRepository(root.resolve("work"));
            Map<Jvm, Process> roles = new LinkedHashMap<>();
            roles.put(Jvm.GATEWAY, start(home, gateway(root)));
            roles.put(Jvm.PORTER, start(home, porter()));
            roles.put(Jvm.WARDEN, start(home, command(Jvm.WARDEN, "internal-warden")));
            if (answers(home)) {
                roles.put(
                        Jvm.COMMAND,
                        start(home, command(Jvm.COMMAND, "internal-train-cli", root.toString())));
            } else {
                roles.get(Jvm.WARDEN).destroy();
            }
            for (Map.Entry<Jvm, Process> role : roles.entrySet()) {
                await(role.getValue());
                publish(role.getKey());
            }
        } finally {
            remove(root);
        }
    }

    /// People run agents where there is one, and what git reads there is compared.
    private static void makeRepository(Path work) throws IOException {
        Path git = work.resolve(".git");
        Files.createDirectories(git.resolve("objects"));
        Files.createDirectories(git.resolve("refs"));
        Files.writeString(git.resolve("HEAD"), "ref: refs/heads/main\n");
        Files.writeString(git.resolve("config"), "[core]\n\tbare = false\n");
    }

    /// What the command line does: it touches what people's commands touch, and ends the warden.
    static void commands(Path root) throws IOException, ControlException {
        Surroundings surroundings = Surroundings.ofThisProcess().in(root);
        String work = root.resolve("work").toString();
        for (String line :
                List.of(
                        "--help",
                        "version --json",
                        "no-such-command",
                        "status --json",
                        "run --runtime bubblewrap --no-repo --workspace " + work + " -- true",
                        "new --name w --runtime bubblewrap --no-repo --workspace " + work,
                        "exec w -- true",
                        "list",
                        "show w",
                        "destroy w",
                        "audit show",
                        "secret list",
                        "policy check")) {
            Commands.execute(surroundings, line.split(" ", -1));
        }
        try (ControlClient warden = new Wardens(surroundings).connectToRunning()) {
            warden.shutdown(new Api.Shutdown(false));
        }
    }

    /// Sandboxes ask it in a network namespace of their own. Where there is none to be had, it only
    /// starts.
    private List<String> gateway(Path root) throws IOException {
        String stage = Files.createDirectory(root.resolve("gateway")).toString();
        List<String> command = new ArrayList<>(List.of("sh", "-c", REHEARSAL, "sh"));
        command.addAll(
                Jvm.COMMAND.command(
                        Jvm.ownHome(),
                        jar.toString(),
                        Optional.empty(),
                        List.of(),
                        "internal-rehearse",
                        stage));
        command.addAll(command(Jvm.GATEWAY, "internal-train-gateway", stage));
        return command;
    }

    /// In namespaces of its own, where it opens what it opens in a sandbox's. Nobody takes it.
    private List<String> porter() {
        StringBuilder script = new StringBuilder(PORTER);
        for (ListenerKind kind : ListenerKind.values()) {
            script.append(kind.name()).append(' ');
        }
        List<String> command = new ArrayList<>(NAMESPACES);
        command.addAll(List.of("sh", "-c", script.toString(), "sh"));
        command.addAll(command(Jvm.PORTER, "internal-porter", output(Jvm.PORTER) + ".none"));
        return command;
    }

    private List<String> command(Jvm role, String... arguments) {
        return role.command(
                Jvm.ownHome(),
                jar.toString(),
                Optional.empty(),
                List.of(place, "-XX:AOTCacheOutput=" + output(role)),
                arguments);
    }

    private Path output(Jvm role) {
        return directory.resolve("." + role.cacheName() + "." + ProcessHandle.current().pid());
    }

    private static Process start(Home home, List<String> command) throws IOException {
        ProcessBuilder builder = HostProgram.builder(command);
        builder.environment()
                .putAll(DaemonEnvironment.from(Map.of("HOME", home.root().toString()), home));
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        return builder.start();
    }

    private static boolean answers(Home home) throws InterruptedException {
        long deadline = System.nanoTime() + ANSWER_MAX.toNanos();
        while (System.nanoTime() - deadline < 0) {
            try (ControlClient client = ControlClient.connect(home)) {
                client.status();
                return true;
            } catch (ControlException e) {
                Thread.sleep(INTERVAL);
            }
        }
        return false;
    }

    private static void await(Process role) throws InterruptedException {
        if (!role.waitFor(ROLE_MAX.toSeconds(), TimeUnit.SECONDS)) {
            role.descendants().forEach(ProcessHandle::destroyForcibly);
            role.destroyForcibly().waitFor();
        }
    }

    /// Complete or absent.
    private void publish(Jvm role) {
        Path made = output(role);
        Path copy = made.resolveSibling(made.getFileName() + ".copy");
        try {
            if (Files.isRegularFile(made)) {
                copyInPages(made, copy);
                Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-r--r--"));
                Files.move(
                        copy, directory.resolve(role.cacheName()), StandardCopyOption.ATOMIC_MOVE);
                Files.delete(made);
            }
        } catch (IOException e) {
            // Then there is none.
        }
    }

    /// The kernel keeps what is written at once together, up to 2 MiB, and newer ones map all of it
    /// for one page that a process reads. Daemons could then give no pages back (`CachePages`).
    private static void copyInPages(Path from, Path to) throws IOException {
        try (InputStream in = Files.newInputStream(from);
                OutputStream out = Files.newOutputStream(to, StandardOpenOption.CREATE_NEW)) {
            for (byte[] page = in.readNBytes(PAGE_BYTES);
                    page.length > 0;
                    page = in.readNBytes(PAGE_BYTES)) {
                out.write(page);
            }
        }
    }

    private static void remove(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
