package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.Published;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
    void inheritedOptionsDoNotReachTheJvm() {
        Command.Result result =
                Command.of(LAUNCHER.toString(), "version")
                        .with("JAVA_TOOL_OPTIONS", "-Dplanted=1")
                        .with("_JAVA_OPTIONS", "-Dplanted=1")
                        .with("JDK_JAVA_OPTIONS", "-Dplanted=1")
                        .run();
        assertThat(result.exit()).isZero();
        assertThat(result.err()).isEmpty();
    }

    /// The JVM knows the names of files by the locale, which may be none.
    @Test
    void pathsNeedNoLocaleAndMustBeUtf8() throws IOException {
        try (Installation installation = Installation.bare(directory.resolve("i"))) {
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
