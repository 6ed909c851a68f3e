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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files that a sandbox's first command finds in its home.
class SeedingIT {
    private static final SandboxHome HOME =
            new SandboxHome(List.of(new Seed(".agent/settings.json", "{'a'}")));

    @TempDir Path directory;

    private Installation installation() throws Exception {
        return new Installation(Files.createDirectory(directory.resolve("home")));
    }

    private void requireSeeds(SandboxRuntime runtime, Installation installation) throws Exception {
        Path workspace = Files.createDirectory(directory.toRealPath().resolve("work"));
        SandboxSpec spec = SandboxBench.spec(runtime.kind(), installation, workspace);
        try (SandboxBench sandbox = SandboxBench.of(runtime, SandboxBench.with(spec, HOME))) {
            String look =
                    "cd && cat .agent/settings.json && stat -c '%u %a' .agent/settings.json; id -u";
            assertThat(sandbox.sh(look).ok().lines()).containsExactly("{'a'}0 600", "0");
            sandbox.sh("cd && rm -r .agent && ln -s /tmp .agent").ok();
            runtime.stop(sandbox.spec, sandbox.identity);
            sandbox.identity = runtime.start(sandbox.spec, Optional.of(sandbox.identity));
            assertThat(sandbox.sh("ls -A /tmp").ok()).doesNotContain("settings.json");
        }
    }

    @Test
    void inABubblewrapSandbox() throws Exception {
        Installation installation = installation();
        requireSeeds(new BubblewrapRuntime(installation, Person.current()), installation);
    }

    @Test
    void inAContainer() throws Exception {
        Installation installation = installation();
        try (PrivateDocker docker = PrivateDocker.start()) {
            requireSeeds(
                    new DockerRuntime(installation, Person.current(), URI.create(docker.host())),
                    installation);
        }
    }
}
