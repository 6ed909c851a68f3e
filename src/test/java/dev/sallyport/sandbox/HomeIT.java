package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Seed;
import dev.sallyport.fixture.PrivateDocker;
import dev.sallyport.sandbox.bubblewrap.BubblewrapRuntime;
import dev.sallyport.sandbox.docker.DockerRuntime;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is in a sandbox's home, in both runtimes.
class HomeIT {
    private static final List<Seed> SEEDS = List.of(new Seed(".agent/settings.json", "{'a'}"));

    @TempDir Path directory;

    private Installation installation;
    private Path workspace;
    private Path kept;

    @BeforeEach
    void make() throws Exception {
        Path real = directory.toRealPath();
        installation = new Installation(Files.createDirectory(real.resolve("home")));
        workspace = Files.createDirectory(real.resolve("work"));
        kept = Files.createDirectory(real.resolve("kept"));
    }

    private SandboxBench create(SandboxRuntime runtime, Optional<Path> home) throws Exception {
        SandboxSpec spec = SandboxBench.spec(runtime.kind(), installation, workspace);
        return SandboxBench.of(runtime, SandboxBench.with(spec, new SandboxHome(home, SEEDS)));
    }

    private static void restart(SandboxBench sandbox) throws SandboxException {
        sandbox.runtime.stop(sandbox.spec, sandbox.identity);
        sandbox.identity = sandbox.runtime.start(sandbox.spec, Optional.of(sandbox.identity));
    }

    private static void requireSeeds(SandboxBench sandbox) throws Exception {
        assertThat(sandbox.sh("cd && cat .agent/settings.json; stat -c ' %u %a' .agent/*").ok())
                .isEqualTo("{'a'} 0 600");
    }

    /// A file lasts from one sandbox to the next, and nothing else does.
    private void requireLasting(SandboxRuntime runtime) throws Exception {
        try (SandboxBench first = create(runtime, Optional.of(kept))) {
            assertThat(first.sh("echo $HOME").ok()).isEqualTo("/home/sallyport");
            requireSeeds(first);
            first.sh("cd && echo kept > file && chmod 700 . && rm -r .agent && ln -s /tmp .agent")
                    .ok();
            restart(first);
            assertThat(first.sh("cat ~/file; find /tmp -name settings.json").ok())
                    .isEqualTo("kept");
        }
        Path home = kept.resolve("0");
        assertThat(Files.readString(home.resolve("file"))).isEqualTo("kept\n");
        assertThat(Files.getAttribute(home, "unix:mode")).isEqualTo(040700);
        try (SandboxBench second = create(runtime, Optional.of(kept))) {
            assertThat(second.sh("cat ~/file; find /tmp -name settings.json").ok())
                    .isEqualTo("kept");
            second.sh("rm ~/.agent").ok();
            restart(second);
            requireSeeds(second);
        }
    }

    private void requireEphemeral(SandboxRuntime runtime) throws Exception {
        try (SandboxBench sandbox = create(runtime, Optional.empty())) {
            assertThat(sandbox.sh("echo $HOME").ok()).isEqualTo("/root");
            requireSeeds(sandbox);
            assertThat(sandbox.sh("ls -A ~/file").exit()).isNotZero();
        }
    }

    @Test
    void inABubblewrapSandbox() throws Exception {
        SandboxRuntime runtime = new BubblewrapRuntime(installation, Person.current());
        requireLasting(runtime);
        requireEphemeral(runtime);
    }

    /// What the image has in its home is in the new one as well.
    @Test
    void inAContainer() throws Exception {
        try (PrivateDocker docker = PrivateDocker.start()) {
            SandboxRuntime runtime =
                    new DockerRuntime(installation, Person.current(), URI.create(docker.host()));
            requireLasting(runtime);
            assertThat(kept.resolve("0/.profile")).exists();
            requireEphemeral(runtime);
        }
    }

    /// Nothing there runs with more rights than it was started with, and no device opens.
    @Test
    void programsGainNothingFromFilesInIt() throws Exception {
        SandboxRuntime runtime = new BubblewrapRuntime(installation, Person.current());
        try (SandboxBench sandbox = create(runtime, Optional.of(kept))) {
            assertThat(sandbox.sh("grep ' /home/sallyport ' /proc/self/mountinfo").ok())
                    .contains("nosuid")
                    .contains("nodev");
        }
    }

    @Test
    void temporaryFilesAreOnDiskWhereMemoryIsShortAndGoWithTheSandbox() throws Exception {
        SandboxRuntime runtime = new BubblewrapRuntime(installation, Person.current());
        SandboxSpec spec = SandboxBench.spec(runtime.kind(), installation, workspace);
        for (long memory : new long[] {1L << 30, 8L << 30}) {
            boolean onDisk = memory < 8L << 30;
            Resources resources =
                    new Resources(
                            Optional.of(memory),
                            Optional.empty(),
                            Optional.empty(),
                            Resources.FILE_BYTES);
            SandboxSpec limited = SandboxBench.with(spec, Mounts.NONE, resources);
            try (SandboxBench sandbox = SandboxBench.of(runtime, limited)) {
                sandbox.sh("mkdir -p /tmp/a/b && ln -s / /tmp/a/root && echo x > /var/tmp/c").ok();
                Path file = limited.files().resolve("tmp/c");
                assertThat(Files.exists(file)).isEqualTo(onDisk);
                restart(sandbox);
                assertThat(sandbox.sh("find /tmp -name a -o -name c").ok()).isEmpty();
            }
            assertThat(limited.files()).doesNotExist();
            assertThat(Path.of("/etc/passwd")).exists();
        }
    }
}
