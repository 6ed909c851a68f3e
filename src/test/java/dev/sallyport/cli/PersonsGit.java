package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Home;
import dev.sallyport.fixture.Command;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A person's clone, home directory and git, and what they are told after a sandbox had the clone.
final class PersonsGit {
    private static final Path MADE = make();

    final Path workspace;
    final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final Path ran;

    PersonsGit(Path directory) throws IOException {
        Path real = directory.toRealPath();
        workspace = real.resolve("work");
        ran = real.resolve("ran");
        Files.createDirectory(real.resolve("person"));
        for (String program : List.of("outside", "planted")) {
            Path file = Files.writeString(real.resolve(program), "#!/bin/sh\ntouch " + ran + "\n");
            assertThat(file.toFile().setExecutable(true)).isTrue();
        }
        start();
    }

    /// A copy is there sooner than a new one.
    private static Path make() {
        try {
            Path made = Files.createTempDirectory("sallyport-person-");
            Command.of(
                            "bash",
                            "-c",
                            "git config --global user.name P; git config --global user.email p@a.example; git config --global init.defaultBranch main;"
                                    + " git init -q work; cd work; echo 1 >a; git add a; git commit -q -m 1")
                    .in(made)
                    .with("HOME", made.toString())
                    .with("GIT_CONFIG_NOSYSTEM", "1")
                    .run()
                    .ok();
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void start() {
        Path real = Objects.requireNonNull(workspace.getParent());
        sh(
                        real,
                        "rm -rf work lib lender h; mkdir -m 700 h; cp -a %1$s/work work; cp %1$s/.gitconfig person/"
                                .formatted(MADE))
                .ok();
    }

    Command.Result sh(Path in, String script) {
        Path real = Objects.requireNonNull(workspace.getParent());
        return Command.of("bash", "-c", script)
                .in(in)
                .with("HOME", real + "/person")
                .with("GIT_CONFIG_NOSYSTEM", "1")
                .with("E", workspace + "/evil.sh")
                .with("OUTSIDE", real + "/outside")
                .with("HOMES", real + "/h/homes")
                .run();
    }

    boolean runs(String script) throws IOException {
        Files.deleteIfExists(ran);
        sh(workspace, script);
        return Files.exists(ran);
    }

    TriggerWatch watch(boolean keep) throws IOException {
        return watch(keep, java.util.Optional.empty());
    }

    TriggerWatch watch(boolean keep, java.util.Optional<String> session) throws IOException {
        Path real = Objects.requireNonNull(workspace.getParent());
        Surroundings surroundings =
                new Surroundings(
                        Map.of(
                                "HOME",
                                real + "/person",
                                "SALLYPORT_HOME",
                                home().root().toString()),
                        new ByteArrayInputStream(new byte[0]),
                        System.out,
                        new PrintStream(said, true, StandardCharsets.UTF_8),
                        new Terminal(false, false, false),
                        workspace);
        return TriggerWatch.now(new Output(surroundings), keep, List.of(workspace), session);
    }

    Home home() {
        return new Home(Objects.requireNonNull(workspace.getParent()).resolve("h"));
    }

    /// What the person is told after a sandbox did this.
    String after(boolean keep, String before, String planted) throws IOException {
        start();
        sh(workspace, before).ok();
        TriggerWatch watch = watch(keep);
        sh(workspace, "cp ../planted evil.sh; " + planted).ok();
        said.reset();
        watch.end();
        return said.toString(StandardCharsets.UTF_8);
    }
}
