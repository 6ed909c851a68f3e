package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.channel.Message;
import dev.sallyport.fixture.Await;
import dev.sallyport.fleet.FleetAuthority;
import dev.sallyport.fleet.FleetStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who comes in at the port for sandboxes of other machines: by certificates, over real TLS. What
/// strangers get there is in [KnocksTest].
final class RemotePortTest {
    private static final String SESSION = "00000000000000aa";
    private static final String OTHER = "00000000000000bb";

    private @TempDir Path directory;
    private RemotePortRig rig;

    @BeforeEach
    void open() throws Exception {
        rig = new RemotePortRig(directory.resolve("fleet"));
        rig.gateway.attachRemote(SESSION);
        rig.gateway.attachRemote(OTHER);
        rig.open();
    }

    @AfterEach
    void close() throws Exception {
        rig.close();
        assertThat(rig.gateway.halts).isEmpty();
    }

    private static String ask(RemotePortRig.Carried from) throws Exception {
        return Client.get(from.front(), "/git/x");
    }

    /// The same certificate, told to the port as it should be, is served: what was refused was
    /// refused for what was wrong with it.
    private void requireServed(String session, RemotePortRig.Pass pass) throws Exception {
        rig.know(session, pass);
        try (var sandbox = rig.carry(pass)) {
            assertThat(ask(sandbox)).startsWith("HTTP/1.1 204");
        }
        assertThat(rig.reached).containsExactly(session + " /git/x");
    }

    private void requireRefused(RemotePortRig.Pass pass) throws Exception {
        try (var sandbox = rig.carry(pass);
                var program = new Client(sandbox.front())) {
            program.send("GET /git/x HTTP/1.1\r\nHost: gateway.sallyport\r\n\r\n");
            Await.until("it is refused twice", () -> sandbox.heard("refused") > 1);
            assertThat(sandbox.heard("connected")).isZero();
        }
        assertThat(rig.reached).as("no door was reached").isEmpty();
    }

    @Test
    void aCertificateLeadsToTheDoorsOfItsOwnSession() throws Exception {
        RemotePortRig.Pass one = rig.pass(SESSION);
        RemotePortRig.Pass two = rig.pass(OTHER);
        rig.know(SESSION, one);
        rig.know(OTHER, two);
        try (var first = rig.carry(one);
                var second = rig.carry(two)) {
            assertThat(Client.get(first.front(), "/policy")).contains(SESSION);
            assertThat(Client.get(second.front(), "/policy")).contains(OTHER);
        }
    }

    @Test
    void i1_theCertificateOfAnotherSessionIsRefused() throws Exception {
        RemotePortRig.Pass pass = rig.pass(OTHER);
        rig.know(OTHER, rig.pass(OTHER));
        rig.know(SESSION, pass);
        requireRefused(pass);
        requireServed(OTHER, pass);
    }

    /// The authority has signed it, but the warden has not said that it is good: it may have been
    /// replaced, or made with a stolen key.
    @Test
    void i1_aCertificateThatIsNotAmongThoseOfTheSessionIsRefused() throws Exception {
        RemotePortRig.Pass pass = rig.pass(SESSION);
        rig.know(SESSION, rig.pass(SESSION));
        requireRefused(pass);
        requireServed(SESSION, pass);
    }

    @Test
    void i1_aCertificateOfASessionThatIsNotThereIsRefused() throws Exception {
        String gone = "00000000000000cc";
        RemotePortRig.Pass pass = rig.pass(gone);
        rig.know(gone, pass);
        requireRefused(pass);
        rig.gateway.attachRemote(gone);
        requireServed(gone, pass);
    }

    /// The handshake sees it, whatever the warden said.
    @Test
    void i1_anExpiredCertificateIsRefused() throws Exception {
        Instant[] now = {Instant.now().minus(Duration.ofHours(2))};
        FleetAuthority before =
                FleetAuthority.open(
                        FleetStore.files(directory.resolve("fleet"), Optional.empty()),
                        () -> now[0]);
        RemotePortRig.Pass expired =
                RemotePortRig.pass(before, SESSION, now[0].plus(Duration.ofMinutes(50)));
        rig.know(SESSION, expired);
        requireRefused(expired);
        now[0] = Instant.now();
        requireServed(SESSION, RemotePortRig.pass(before, SESSION, now[0].plusSeconds(3_000)));
    }

    /// The warden's word, whatever the certificate says.
    @Test
    void i1_aCertificateWhoseTimeIsOverIsRefused() throws Exception {
        RemotePortRig.Pass pass = rig.pass(SESSION);
        rig.know(SESSION, Duration.ofSeconds(-1), pass);
        requireRefused(pass);
        requireServed(SESSION, pass);
    }

    @Test
    void i1_aCertificateOfAnotherAuthorityIsRefused() throws Exception {
        FleetAuthority another =
                FleetAuthority.open(
                        FleetStore.files(directory.resolve("another"), Optional.empty()),
                        Instant::now);
        RemotePortRig.Pass pass =
                RemotePortRig.pass(another, SESSION, Instant.now().plusSeconds(3_000));
        RemotePortRig.Pass own = rig.pass(SESSION);
        rig.know(SESSION, pass, own);

        assertThat(rig.firstByte(pass)).as("no byte of HTTP/2").isNegative();
        assertThat(rig.firstByte(own)).isNotNegative();
        requireServed(SESSION, own);
    }

    @Test
    void i3_aConnectionEndsWhenItsCertificateIsRevokedAndNoneIsTakenAfterwards() throws Exception {
        requireEnded(() -> rig.know(SESSION));
    }

    @Test
    void i3_aConnectionEndsWithItsSessionAndNoneIsTakenAfterwards() throws Exception {
        requireEnded(() -> rig.gateway.detach(SESSION));
    }

    /// Nobody says a word; time passes.
    @Test
    void i3_aConnectionEndsWhenItsCertificateExpires() throws Exception {
        RemotePortRig.Pass pass = rig.pass(SESSION);
        rig.know(SESSION, pass);
        try (var sandbox = rig.carry(pass)) {
            assertThat(ask(sandbox)).startsWith("HTTP/1.1 204");
            rig.know(SESSION, Duration.ofSeconds(1), pass);
            Await.until(
                    "it is refused",
                    () -> {
                        rig.gateway.tick();
                        return sandbox.heard("refused") > 1;
                    });
        }
        assertThat(rig.reached).hasSize(1);
    }

    /// A neighbour, whose connection stays, is the control.
    private void requireEnded(Runnable revocation) throws Exception {
        RemotePortRig.Pass pass = rig.pass(SESSION);
        RemotePortRig.Pass neighbours = rig.pass(OTHER);
        rig.know(SESSION, pass);
        rig.know(OTHER, neighbours);
        try (var sandbox = rig.carry(pass);
                var neighbour = rig.carry(neighbours);
                var program = new Client(sandbox.front())) {
            assertThat(ask(neighbour)).startsWith("HTTP/1.1 204");
            program.send("GET /git/x HTTP/1.1\r\nHost: gateway.sallyport\r\n\r\n");
            assertThat(program.until("\r\n\r\n")).startsWith("HTTP/1.1 204");

            revocation.run();

            Await.until("what was carried ends", program::isClosedByPeer);
            Await.until("it is refused again", () -> sandbox.heard("refused") > 1);
            assertThat(sandbox.heard("connected")).isEqualTo(1);
            assertThat(ask(neighbour)).startsWith("HTTP/1.1 204");
            assertThat(neighbour.heard("connected")).isEqualTo(1);
            assertThat(neighbour.heard("refused") + neighbour.heard("lost")).isZero();
        }
        assertThat(rig.reached)
                .containsExactlyInAnyOrder(
                        SESSION + " /git/x", OTHER + " /git/x", OTHER + " /git/x");
    }

    @Test
    void aRenewedCertificateIsTakenBesideTheOldOne() throws Exception {
        RemotePortRig.Pass old = rig.pass(SESSION);
        RemotePortRig.Pass renewed = rig.pass(SESSION);
        rig.know(SESSION, old);
        try (var before = rig.carry(old)) {
            assertThat(ask(before)).startsWith("HTTP/1.1 204");
            rig.know(SESSION, old, renewed);
            try (var after = rig.carry(renewed)) {
                assertThat(ask(after)).startsWith("HTTP/1.1 204");
            }
            assertThat(ask(before)).startsWith("HTTP/1.1 204");
            assertThat(before.heard("connected")).isEqualTo(1);
        }
    }

    @Test
    void aPortThatWasClosedTakesNobodyUntilItIsOpenedAgain() throws Exception {
        RemotePortRig.Pass pass = rig.pass(SESSION);
        rig.know(SESSION, pass);
        try (var sandbox = rig.carry(pass);
                var program = new Client(sandbox.front())) {
            assertThat(ask(sandbox)).startsWith("HTTP/1.1 204");
            program.send("GET /git/x HTTP/1.1\r\nHost: gateway.sallyport\r\n\r\n");
            program.until("\r\n\r\n");
            rig.gateway.receive(new Message.PublicPortClosed());
            Await.until("what was carried ends", program::isClosedByPeer);
            Await.until("nobody is taken", () -> sandbox.heard("lost") > 1);
        }
        rig.reached.clear();
        rig.open();
        requireServed(SESSION, pass);
    }
}
