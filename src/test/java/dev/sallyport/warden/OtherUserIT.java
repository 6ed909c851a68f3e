package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.audit.AuditFilter;
import dev.sallyport.audit.AuditReader;
import dev.sallyport.config.ConfigException;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.Home;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.OrdinaryUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What another account of the same machine can do to a warden and to those who use it: nothing
/// (I4, I5).
class OtherUserIT {
    private Path directory;
    private Home home;
    private OrdinaryUser other;

    @BeforeEach
    void makeAccount() throws IOException {
        directory = Files.createTempDirectory("sp-other-").toRealPath();
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        home = new Home(directory.resolve("home"));
        home.create();
        other = OrdinaryUser.create();
    }

    @AfterEach
    void removeAccount() {
        other.close();
        Command.of("rm", "-rf", directory.toString()).run().ok();
    }

    private static void open(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    /// One row of the document, which has every operation of the table ([OperationsTest]).
    private record Request(String method, String path) {}

    private static List<Request> requests() throws IOException {
        return Pattern.compile("`(GET|POST|PUT|DELETE) (/v1/[^`]*)`")
                .matcher(Files.readString(Path.of("docs/protocol/control-api.md")))
                .results()
                .map(found -> new Request(found.group(1), found.group(2)))
                .toList();
    }

    private List<String> curl(Request request) {
        return List.of(
                "curl",
                "-s",
                "-m",
                "10",
                "-X",
                request.method(),
                "-d",
                "{}",
                "--unix-socket",
                home.controlSocket().toString(),
                "http://sallyport" + request.path().replace("{name}", "work"));
    }

    private List<String> recorded() throws IOException {
        List<String> kinds = new ArrayList<>();
        AuditReader.read(home.auditLog(), AuditFilter.ALL, line -> kinds.add(line.event().kind()));
        return kinds;
    }

    /// With the modes as they are the kernel stops others; with all of them wide open, the warden
    /// does.
    @Test
    void i5NoOperationIsAnsweredToAnotherUserAndNothingHappens() throws Exception {
        Path work = Files.createDirectory(directory.resolve("work"));
        try (WardenProcess warden = WardenProcess.start(home)) {
            try (ControlClient client = warden.connect()) {
                client.create(request(work));
            }
            List<String> before = recorded();
            assertThat(refusals()).isEmpty();
            open(home.root(), "rwxr-xr-x");
            open(home.run(), "rwxr-xr-x");
            open(home.controlSocket(), "rw-rw-rw-");
            assertThat(refusals()).isEmpty();
            assertThat(requests()).hasSizeGreaterThan(10);
            assertThat(Command.of(curl(new Request("GET", "/v1/status"))).run().ok())
                    .contains("wardenPid");
            open(home.controlSocket(), "rw-------");
            open(home.run(), "rwx------");
            open(home.root(), "rwx------");
            assertThat(recorded()).isEqualTo(before);
            try (ControlClient client = warden.connect()) {
                assertThat(client.sandbox("work").state()).isEqualTo("running");
                client.destroy("work");
            }
        }
    }

    private String refusals() throws IOException {
        StringBuilder answers = new StringBuilder();
        for (Request request : requests()) {
            Command.Result result = other.command(curl(request).toArray(String[]::new)).run();
            assertThat(result.exit()).as(request.path()).isNotZero();
            answers.append(result.out());
        }
        return answers.toString();
    }

    private static Api.CreateSandbox request(Path work) {
        return new Api.CreateSandbox(
                Optional.of("work"),
                Optional.of("bubblewrap"),
                Optional.empty(),
                work.toString(),
                List.of(),
                Api.ReachRequest.STANDARD,
                GitSettings.STANDARD,
                false,
                Api.LifeRequest.STANDARD,
                Api.MountRequest.NONE,
                Api.ResourceRequest.STANDARD,
                Api.HardeningRequest.STANDARD,
                Api.HomeRequest.STANDARD,
                Optional.empty());
    }

    /// The file in its place looks right in every respect; only the kernel knows who listens.
    @Test
    void i5AnImpostorBehindTheSocketGetsNotOneByte() throws Exception {
        Path socket = other.home().resolve("s");
        String listen =
                "use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Local => '"
                        + socket
                        + "', Listen => 1) or die; $| = 1; print \"up\\n\"; my $c = $s->accept;"
                        + " my $n = sysread($c, my $b, 1000); print \"got $n\\n\"";
        Process impostor = other.command("perl", "-e", listen).start();
        try (var said = impostor.inputReader()) {
            assertThat(said.readLine()).isEqualTo("up");
            Command.of("chown", "root:root", socket.toString()).run().ok();
            Command.of("mv", socket.toString(), home.controlSocket().toString()).run().ok();
            open(home.controlSocket(), "rw-------");
            assertThatThrownBy(() -> ControlClient.connect(home))
                    .isInstanceOfSatisfying(
                            ControlException.class,
                            e -> assertThat(e.problem().message()).contains("another user"));
            assertThat(said.readLine()).isEqualTo("got 0");
        } finally {
            impostor.destroyForcibly().onExit().join();
        }
    }

    /// A link that somebody else owns leads elsewhere whenever they like: between a check and the
    /// use of what was checked, for instance.
    @Test
    void i4AHomeBehindAnotherUsersLinkIsRefused() throws Exception {
        Path common = Files.createDirectory(directory.resolve("common"));
        Command.of("chmod", "1777", common.toString()).run().ok();
        Path link = common.resolve("link");
        other.command("ln", "-s", directory.toString(), link.toString()).run().ok();
        Home behind = new Home(link.resolve("home"));
        assertThatThrownBy(behind::verify)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(link.toString());
        Path ours = Files.createSymbolicLink(common.resolve("ours"), directory);
        new Home(ours.resolve("home")).verify();
        Path chain = Files.createSymbolicLink(common.resolve("chain"), link);
        assertThatThrownBy(() -> new Home(chain.resolve("home")).verify())
                .isInstanceOf(ConfigException.class);
    }
}
