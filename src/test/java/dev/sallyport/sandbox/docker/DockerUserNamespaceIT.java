package dev.sallyport.sandbox.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.fixture.PrivateDocker;
import dev.sallyport.sandbox.Hardening;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.ProcessUser;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxBench;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.SandboxUser;
import dev.sallyport.sandbox.UserNamespace;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An engine whose containers have user ids of their own.
class DockerUserNamespaceIT {
    private static final int FIRST = 200_000;

    @TempDir Path directory;

    @Test
    void anEngineThatShiftsUserIdsRunsTheOwnerOfTheWorkspaceAndNobodyElse() throws Exception {
        Path workspace = Files.createDirectory(directory.toRealPath().resolve("work"));
        var installation = new Installation(Files.createDirectory(directory.resolve("home")));
        try (PrivateDocker docker = PrivateDocker.startShifted(FIRST)) {
            var runtime =
                    new DockerRuntime(installation, Person.current(), URI.create(docker.host()));
            SandboxSpec spec =
                    SandboxBench.with(
                            SandboxBench.spec(RuntimeKind.DOCKER, installation, workspace),
                            new Hardening(new SandboxUser.Usual(), Optional.empty(), true));
            assertThatThrownBy(() -> runtime.create(spec))
                    .as("a workspace of root's")
                    .isInstanceOf(SandboxException.class)
                    .hasMessageContaining("chown -R 201000:201000");
            assertThat(docker.docker("ps", "-aq").run().ok()).isEmpty();
            Files.setAttribute(workspace, "unix:uid", FIRST + 1_000);
            Files.setAttribute(workspace, "unix:gid", FIRST + 1_000);

            try (var sandbox = SandboxBench.of(runtime, spec)) {
                assertThat(sandbox.sh("id -u; whoami; touch here ~/there && cat /etc/hosts").ok())
                        .startsWith("1000\nsandbox\n")
                        .contains("gateway.sallyport");
                assertThat(ProcessUser.of(sandbox.identity))
                        .contains(new ProcessUser(FIRST + 1_000, FIRST + 1_000));
                assertThat(UserNamespace.isOwn(sandbox.identity.pid())).contains(true);
                assertThat(runtime.look(spec, sandbox.identity).running())
                        .contains(sandbox.identity);
            }
            assertThat(Files.getAttribute(workspace.resolve("here"), "unix:uid"))
                    .isEqualTo(FIRST + 1_000);
        }
    }
}
