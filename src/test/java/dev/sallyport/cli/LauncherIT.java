package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.confine.Jvm;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.Published;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `./sallyport` on machines that are not as one would wish.
class LauncherIT {
    private static final Path LAUNCHER = Path.of("sallyport").toAbsolutePath();

    @TempDir Path directory;

    /// Publishing takes longer than a command of a test may.
    @BeforeAll
    static void publish() {
        assertThat(Published.jar()).exists();
    }

    @Test
    void worksFromElsewhereAndThroughALink() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("sp"), LAUNCHER);
        assertThat(Command.of(link.toString(), "version").in(directory).run().ok())
                .startsWith("sallyport ");
    }

    @Test
    void findsTheRightJdkAlthoughAnotherIsNamed() throws IOException {
        Path old = directory.resolve("jdk17");
        Files.createDirectories(old.resolve("bin"));
        Files.writeString(old.resolve("release"), "JAVA_VERSION=\"17.0.15\"\n");
        Path java = Files.writeString(old.resolve("bin/java"), "#!/bin/sh\nexit 99\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(
                        Command.of(LAUNCHER.toString(), "version")
                                .with("JAVA_HOME", old.toString())
                                .with("PATH", old.resolve("bin") + ":/usr/bin:/bin")
                                .run()
                                .ok())
                .contains("Java 2");
    }

    @Test
    void saysWhatToInstallWhenThereIsNoJdk() {
        Command.Result result =
                Command.of(
                                "bwrap",
                                "--dev-bind",
                                "/",
                                "/",
                                "--tmpfs",
                                "/usr/lib/jvm",
                                "--tmpfs",
                                "/opt",
                                LAUNCHER.toString(),
                                "version")
                        .with("JAVA_HOME", "")
                        .with("SALLYPORT_JAVA_HOME", "")
                        .run();
        assertThat(result.exit()).isEqualTo(69);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("JDK 25").contains("Install");
    }

    @Test
    void inheritedOptionsDoNotReachTheJvm() throws IOException {
        Command command = Command.of(LAUNCHER.toString(), "version");
        for (String name :
                List.of(
                        "JAVA_TOOL_OPTIONS",
                        "_JAVA_OPTIONS",
                        "JDK_JAVA_OPTIONS",
                        "JDK_AOT_VM_OPTIONS",
                        "LD_PRELOAD",
                        "LD_LIBRARY_PATH")) {
            command.with(name, "/planted");
        }
        String seen = command.with("SALLYPORT_JAVA_HOME", talkingJdk().toString()).run().out();
        assertThat(seen).contains("SALLYPORT_JAVA_HOME=").doesNotContain("planted");
    }

    @Test
    void aCacheThatIsNotWhatItShouldBeOnlySlowsDown() throws IOException {
        Path copy = directory.resolve("copy");
        Path jar = Published.jar();
        Path app = copy.resolve("target/app").resolve(jar.getName(jar.getNameCount() - 2));
        Files.createDirectories(app);
        String files = "cp -pr \"$0\" build pom.xml \"$1\" && touch -d 2020-01-01 \"$1/pom.xml\"";
        Command.of("sh", "-c", files, LAUNCHER.toString(), copy.toString()).run().ok();
        Path built = Path.of("target", "sallyport.jar").toAbsolutePath();
        Command.of("cp", "-p", built.toString(), copy.resolve("target").toString()).run().ok();
        Command.of("cp", "-p", jar.toString(), app.toString()).run().ok();
        Path cache = app.resolve(Jvm.COMMAND.cacheName());
        byte[] good = Files.readAllBytes(jar.resolveSibling(Jvm.COMMAND.cacheName()));

        assertThat(uses(copy, cache)).isFalse();
        Files.write(cache, good);
        assertThat(uses(copy, cache)).isTrue();
        assertWorks(copy);
        for (byte[] damaged :
                List.of(new byte[0], Arrays.copyOf(good, good.length / 2), new byte[good.length])) {
            Files.write(cache, damaged);
            assertWorks(copy);
        }
        Files.write(cache, Files.readAllBytes(jar.resolveSibling(Jvm.PORTER.cacheName())));
        assertWorks(copy);

        Files.write(cache, good);
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(uses(copy, cache)).isFalse();
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rw-r--r--"));
        Files.setAttribute(cache, "unix:uid", 65_534);
        assertThat(uses(copy, cache)).isFalse();
        Files.delete(cache);
        Files.createSymbolicLink(cache, jar.resolveSibling(Jvm.COMMAND.cacheName()));
        assertThat(uses(copy, cache)).isFalse();
    }

    private static void assertWorks(Path copy) {
        Command.Result result = Command.of(copy.resolve("sallyport").toString(), "version").run();
        assertThat(result.ok()).startsWith("sallyport ");
        assertThat(result.err()).isEmpty();
    }

    private boolean uses(Path copy, Path cache) throws IOException {
        return Command.of(copy.resolve("sallyport").toString(), "version")
                .with("SALLYPORT_JAVA_HOME", talkingJdk().toString())
                .run()
                .ok()
                .contains("-XX:AOTCache=" + cache);
    }

    /// Says what it was started with.
    private Path talkingJdk() throws IOException {
        Path jdk = directory.resolve("jdk25");
        Files.createDirectories(jdk.resolve("bin"));
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25\"\n");
        Path java = Files.writeString(jdk.resolve("bin/java"), "#!/bin/sh\necho \"$@\"\nenv\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        return jdk;
    }

    /// The JVM knows the names of files by the locale, which may be none.
    @Test
    void pathsNeedNoLocaleAndMustBeUtf8() throws IOException {
        try (Installation installation =
                Installation.bare(directory.resolve("i")).onlyProcesses()) {
            assertPathsNeedNoLocale(installation);
        }
    }

    private void assertPathsNeedNoLocale(Installation installation) throws IOException {
        Path workspace = Files.createDirectory(directory.resolve("wörk späce"));
        Path mount = Files.createDirectory(directory.resolve("möunt"));
        Files.writeString(mount.resolve("fü"), "mounted");
        Files.writeString(workspace.resolve("schlüssel"), "hidden");
        String script = "pwd; cat " + mount + "/fü schlüssel; printf '%s' \"$1 $LC_ALL\" >dätei";
        String[] run = {
            "run",
            "--runtime",
            "bubblewrap",
            "--no-repo",
            "--mount",
            mount.toString(),
            "--redact",
            "schlüssel",
            "--env",
            "LC_ALL",
            "--",
            "sh",
            "-c",
            script,
            "sh",
            "ä€😀"
        };
        assertThat(withoutLocale(installation, workspace, run).run().ok())
                .isEqualTo(workspace + "\nmounted");
        assertThat(workspace.resolve("dätei")).hasContent("ä€😀 C");

        withoutLocale(
                        installation,
                        workspace,
                        "new",
                        "--name",
                        "ort",
                        "--runtime",
                        "bubblewrap",
                        "--no-repo")
                .run()
                .ok();
        Files.createDirectory(workspace.resolve("tiefer ö"));
        assertThat(
                        withoutLocale(
                                        installation,
                                        directory,
                                        "exec",
                                        "--directory",
                                        "tiefer ö",
                                        "ort",
                                        "--",
                                        "pwd")
                                .run()
                                .ok())
                .isEqualTo(workspace + "/tiefer ö");
        withoutLocale(installation, directory, "destroy", "ort").run().ok();

        assertOtherBytesAreRefused(installation, workspace);
    }

    private static void assertOtherBytesAreRefused(Installation installation, Path workspace) {
        String bad =
                "mkdir \"$0$(printf 'b\\377d')\"; cd \"$0$(printf 'b\\377d')\"; \"$1\" run --no-repo -- touch ran; cd ..; \"$1\" run --no-repo --mount \"$0$(printf 'b\\377d')\" -- touch ran";
        Command.Result refused =
                Command.of(
                                "sh",
                                "-c",
                                bad,
                                workspace + "/",
                                Path.of("sallyport").toAbsolutePath().toString())
                        .with("SALLYPORT_HOME", installation.home().toString())
                        .run();
        assertThat(refused.err())
                .contains("Its path is not valid UTF-8", "An argument is not valid UTF-8");
        assertThat(Command.of("find", workspace.toString(), "-name", "ran").run().ok()).isEmpty();
    }

    private static Command withoutLocale(
            Installation installation, Path directory, String... arguments) {
        return installation.sallyport(arguments).in(directory).without("LANG").with("LC_ALL", "C");
    }

    /// The JVM opens files of its own, which get the lowest numbers that are free.
    @Test
    void aClosedStandardStreamChangesNeitherTheStatusNorWhatFollowsACommand() throws IOException {
        try (Installation installation =
                Installation.bare(directory.resolve("i")).onlyProcesses()) {
            Path work = installation.workspace();
            Command.of("git", "init", "-q", ".").in(work).run().ok();
            List<String> made = List.of("--runtime", "bubblewrap", "--no-repo");
            List<String> run = new ArrayList<>(List.of("run"));
            run.addAll(made);
            List<String> make = new ArrayList<>(List.of("new", "--name", "stays"));
            make.addAll(made);
            installation.sallyport(make.toArray(String[]::new)).run().ok();
            for (List<String> way : List.of(run, List.of("exec", "stays"))) {
                for (String closed : List.of("<&-", ">&-", "2>&-", "<&- >&- 2>&-")) {
                    assertNoticesWithClosed(installation, way, closed);
                }
            }
        }
    }

    private static void assertNoticesWithClosed(
            Installation installation, List<String> way, String closed) throws IOException {
        Path work = installation.workspace();
        List<String> argv = new ArrayList<>(List.of("sh", "-c", "\"$@\" " + closed, "sh"));
        argv.add(LAUNCHER.toString());
        argv.addAll(way);
        argv.addAll(
                List.of("--", "sh", "-c", "git config core.fsmonitor /y; head -c 9 >got; exit 7"));
        Command.Result result =
                Command.of(argv)
                        .in(work)
                        .with("SALLYPORT_HOME", installation.home().toString())
                        .run();
        assertThat(result.exit()).as("%s %s: %s", way, closed, result.all()).isEqualTo(7);
        assertThat(work.resolve("got")).isEmptyFile();
        assertThat(work.resolve(".git/config")).content().doesNotContain("fsmonitor");
        if (!closed.contains("2>")) {
            assertThat(result.err()).contains("MOVED ASIDE: " + work + "/.git/config");
        }
        Files.delete(work.resolve("got"));
    }

    /// The logs are pipes into which nothing comes before a line was drawn.
    @Test
    void whatTakesLongSaysSoOnATerminalAndNowhereElse() throws Exception {
        Path first = pipe("first");
        Path second = pipe("second");
        Path screen = directory.resolve("screen");
        Process piped = verifying(first).start();
        String line = LAUNCHER + " audit verify --file " + second;
        Process shown =
                Command.of("script", "-qefc", line, screen.toString()).in(directory).start();
        Await.until(
                "a line that is written over",
                () ->
                        Files.exists(screen)
                                && Files.readString(screen)
                                        .contains("· checking the audit log: 0 lines ("));
        Files.newOutputStream(second).close();
        Files.newOutputStream(first).close();

        assertThat(shown.waitFor()).isZero();
        assertThat(screen).content().containsPattern("\\r +\\rno audit log yet");
        assertThat(piped.waitFor()).isZero();
        assertThat(piped.errorReader().readLine()).isNull();
        assertThat(piped.inputReader().readLine()).isEqualTo("no audit log yet");
    }

    private Path pipe(String name) {
        Path pipe = directory.resolve(name);
        Command.of("mkfifo", pipe.toString()).run().ok();
        return pipe;
    }

    private Command verifying(Path log) {
        return Command.of(LAUNCHER.toString(), "audit", "verify", "--file", log.toString())
                .in(directory);
    }

    @Test
    void saysWhoHasToBuildWhenWeMayNot() throws IOException {
        Path copy = Files.createDirectories(Path.of("/var/tmp/sallyport-launcher-it"));
        try {
            Command.of("cp", "-r", LAUNCHER.toString(), "build", "pom.xml", copy.toString())
                    .run()
                    .ok();
            Command.of("chmod", "-R", "a+rX,go-w", copy.toString()).run().ok();
            Command.Result result =
                    Command.of(
                                    "setpriv",
                                    "--reuid=65534",
                                    "--regid=65534",
                                    "--clear-groups",
                                    copy.resolve("sallyport").toString(),
                                    "version")
                            .in(copy)
                            .run();
            assertThat(result.exit()).isEqualTo(69);
            assertThat(result.err()).contains("not built").contains("not writable");
        } finally {
            Command.of("rm", "-rf", copy.toString()).run().ok();
        }
    }
}
