package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.PrivateDocker;
import dev.sallyport.git.TestPki;
import dev.sallyport.sandbox.bubblewrap.BubblewrapRuntime;
import dev.sallyport.sandbox.docker.DockerRuntime;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Where programs in a sandbox with an authority of its own find its certificate.
class SandboxTrustIT {
    private static final String PEM = new TestPki().caPem();

    @TempDir Path directory;

    private SandboxBench create(SandboxRuntime runtime, Installation installation)
            throws Exception {
        Path workspace = Files.createDirectory(directory.toRealPath().resolve("work"));
        return SandboxBench.create(runtime, installation, workspace, PEM);
    }

    private Installation installation() throws Exception {
        return new Installation(Files.createDirectory(directory.resolve("home")));
    }

    private static void requireTrust(SandboxBench sandbox) throws Exception {
        assertThat(sandbox.sh("cat \"$NODE_EXTRA_CA_CERTS\"").ok()).isEqualTo(PEM.strip());
        String own = PEM.lines().skip(1).findFirst().orElseThrow();
        for (String bundle :
                new String[] {
                    "$SSL_CERT_FILE",
                    "$CURL_CA_BUNDLE",
                    "$GIT_SSL_CAINFO",
                    "$REQUESTS_CA_BUNDLE",
                    "$GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
                    "/etc/ssl/certs/ca-certificates.crt",
                    "/etc/ssl/cert.pem"
                }) {
            assertThat(sandbox.sh("cat \"" + bundle + "\"").ok()).as(bundle).contains(own);
        }
        assertThat(sandbox.sh("echo \"$JAVA_TOOL_OPTIONS\"").ok())
                .contains("-Djavax.net.ssl.trustStore=/etc/sallyport/cacerts.p12");
        assertThat(sandbox.sh("test -s /etc/sallyport/cacerts.p12").exit()).isZero();
        assertThat(sandbox.sh(": >> /etc/sallyport/ca-bundle.crt").exit()).isNotZero();
    }

    @Test
    void inABubblewrapSandbox() throws Exception {
        Installation installation = installation();
        try (SandboxBench sandbox =
                create(new BubblewrapRuntime(installation, Person.current()), installation)) {
            requireTrust(sandbox);
            assertThat(sandbox.sh("cd \"$SSL_CERT_DIR\" && pwd && ls -A").ok())
                    .as("nothing to read besides the bundle")
                    .isEqualTo("/etc/sallyport/certs");
        }
    }

    /// Nothing that was mounted keeps the distribution's own tool from doing its work.
    @Test
    void inAContainerWhereTheBundleCanStillBeMadeAnew() throws Exception {
        Installation installation = installation();
        try (PrivateDocker docker = PrivateDocker.start();
                SandboxBench sandbox =
                        create(
                                new DockerRuntime(
                                        installation, Person.current(), URI.create(docker.host())),
                                installation)) {
            requireTrust(sandbox);
            sandbox.sh("rm /etc/ssl/certs/ca-certificates.crt && update-ca-certificates").ok();
            requireTrust(sandbox);
        }
    }
}
