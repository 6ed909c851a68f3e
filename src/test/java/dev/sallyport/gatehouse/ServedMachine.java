package dev.sallyport.gatehouse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.confine.Jvm;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Leftovers;
import dev.sallyport.fixture.OrdinaryUser;
import dev.sallyport.fixture.Published;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A machine whose root serves its accounts, two of which are there. Its container engine is a
/// socket that only root can connect to, and that hangs up.
final class ServedMachine implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path service;
    private final Path directory;
    private final Path program;
    private final Path engine;
    private final OrdinaryUser alice;
    private final OrdinaryUser bob;
    private final ServerSocketChannel listening;
    private Process gatehouse;

    ServedMachine() throws IOException {
        service = Files.createTempDirectory(Path.of("/var/lib"), "sp-gatehouse-").toRealPath();
        directory = Files.createTempDirectory("sp-program-").toRealPath();
        program = directory.resolve("sallyport.jar");
        mode(directory, "rwxr-xr-x");
        // With the class caches that go with it, of root's and for all.
        String published = Published.jar().resolveSibling(".").toString();
        Command.of("cp", "-pr", published, directory.toString()).run().ok();
        alice = OrdinaryUser.create();
        bob = OrdinaryUser.create();
        for (OrdinaryUser user : List.of(alice, bob)) {
            mode(user.home(), "rwx------");
            user.command("mkdir", "work").run().ok();
        }
        engine = service.resolve("engine.sock");
        listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listening.bind(UnixDomainSocketAddress.of(engine));
        mode(engine, "rw-------");
        Thread.ofVirtual().start(this::hangUp);
        gatehouse = launch();
    }

    static void mode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private void hangUp() {
        try {
            while (true) {
                listening.accept().close();
            }
        } catch (IOException e) {
            return;
        }
    }

    @Override
    public void close() throws IOException {
        try {
            for (OrdinaryUser user : List.of(alice, bob)) {
                sallyport(user, "down").run();
            }
            end();
            listening.close();
            Files.delete(engine);
            assertThat(Leftovers.of(service).after()).isEmpty();
        } finally {
            gatehouse.descendants().forEach(ProcessHandle::destroyForcibly);
            gatehouse.destroyForcibly();
            listening.close();
            bob.close();
            alice.close();
            Command.of("rm", "-rf", service.toString(), directory.toString()).run();
        }
    }

    Path service() {
        return service;
    }

    Path engine() {
        return engine;
    }

    OrdinaryUser alice() {
        return alice;
    }

    OrdinaryUser bob() {
        return bob;
    }

    void restart(String... group) throws IOException {
        end();
        gatehouse = launch(group);
    }

    void end() {
        gatehouse.destroy();
        gatehouse.onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    private static String unit(String key) throws IOException {
        return Files.readAllLines(Path.of("deploy/sallyport.service")).stream()
                .filter(line -> line.startsWith(key + "="))
                .map(line -> line.substring(key.length() + 1))
                .findFirst()
                .orElseThrow();
    }

    /// With the umask of the unit, with no more capabilities than it leaves, and no way to get any.
    private Process launch(String... group) throws IOException {
        String bounding =
                unit("CapabilityBoundingSet")
                        .replace("CAP_", "+")
                        .replace(' ', ',')
                        .toLowerCase(Locale.ROOT);
        List<String> rights =
                List.of(
                        "sh",
                        "-c",
                        "umask " + unit("UMask") + "; exec \"$@\"",
                        "sh",
                        "setpriv",
                        "--no-new-privs",
                        "--bounding-set=-all," + bounding,
                        "--");
        List<String> own = java("internal-gatehouse", service.toString());
        Process started =
                Command.of(Stream.of(rights, own, List.of(group)).flatMap(List::stream).toList())
                        .with("DOCKER_HOST", "unix://" + engine)
                        .start();
        Await.until(() -> Files.exists(service.resolve("gatehouse.sock")));
        return started;
    }

    List<String> java(String... arguments) {
        return Jvm.COMMAND.command(
                Jvm.ownHome(),
                program.toString(),
                Jvm.COMMAND.cache(program),
                List.of(),
                arguments);
    }

    Command sallyport(OrdinaryUser user, String... arguments) {
        List<String> argv = new ArrayList<>(List.of("env", "SALLYPORT_SERVICE=" + service));
        argv.addAll(java(arguments));
        return user.command(argv.toArray(String[]::new)).within(Duration.ofMinutes(2));
    }

    static int uid(OrdinaryUser user) {
        return Integer.parseInt(Command.of("id", "-u", user.name()).run().ok());
    }

    Path lodging(OrdinaryUser user) {
        return service.resolve("users").resolve(Integer.toString(uid(user)));
    }

    Command.Result curl(OrdinaryUser caller, OrdinaryUser owner, String... more) {
        List<String> argv =
                new ArrayList<>(
                        List.of(
                                "curl",
                                "-s",
                                "-m",
                                "60",
                                "--unix-socket",
                                lodging(owner).resolve("control.sock").toString()));
        argv.addAll(List.of(more));
        return caller.command(argv.toArray(String[]::new)).run();
    }

    /// A command of root's about the sandboxes of an account.
    Command asRoot(OrdinaryUser account, String... arguments) {
        return Command.of(java(arguments))
                .without("SALLYPORT_HOME")
                .with("SALLYPORT_SERVICE", service.toString())
                .with("SALLYPORT_ACCOUNT", account.name());
    }
}
