package dev.sallyport.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.TrustedFiles;
import dev.sallyport.credential.CertifiedKey;
import dev.sallyport.policy.SessionId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which certificates are good for a session now.
class SessionBadgesTest {
    private static final SessionId SESSION = new SessionId("00000000000000aa");
    private static final SessionId OTHER = new SessionId("00000000000000bb");
    private static final HostId HOST = new HostId("0".repeat(32));
    private static final HostId STRANGER = new HostId("1".repeat(32));
    private static final Duration SECOND = Duration.ofSeconds(1);

    @TempDir Path temporary;
    private Fleet fleet;
    private KeyPair first;
    private KeyPair next;

    @BeforeEach
    void open() throws Exception {
        fleet = new Fleet(temporary.resolve("fleet"));
        first = Fleet.sidecarKeys();
        next = Fleet.sidecarKeys();
        fleet.badges.claim(SESSION, HOST, SessionBadges.SESSIONS_PER_HOST_MAX);
    }

    private static byte[] spki(KeyPair keys) {
        return keys.getPublic().getEncoded();
    }

    private SessionBadges.Issued issue(KeyPair keys) throws Exception {
        return fleet.badges.issue(SESSION, HOST, spki(keys));
    }

    private SessionBadges.Issued renew(KeyPair old, KeyPair following) throws Exception {
        byte[] proof =
                Fleet.sign(old.getPrivate(), SessionBadges.proofText(SESSION, spki(following)));
        return fleet.badges.renew(SESSION, HOST, spki(following), proof);
    }

    private void requireRefused(FleetRefusal reason, ThrowingCallable asked) {
        List<SessionBadges.Badge> before = fleet.badges.current(SESSION);
        assertThatThrownBy(asked)
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
        assertThat(fleet.badges.current(SESSION)).isEqualTo(before);
    }

    @Test
    void theFingerprintIsThatOfTheCertificateThatTheGatewaySees() throws Exception {
        SessionBadges.Issued issued = issue(first);
        var seen =
                Handshake.run(
                        fleet,
                        fleet.authority.authorityPems(),
                        issued.certificatePem(),
                        first.getPrivate());
        assertThat(fleet.badges.current(SESSION)).containsExactly(issued.badge());
        assertThat(TrustedFiles.digest(seen.getEncoded())).isEqualTo(issued.badge().fingerprint());
        assertThat(issued.badge().until()).isEqualTo(seen.getNotAfter().toInstant());
        assertThat(fleet.badges.host(SESSION)).contains(HOST);
        assertThat(fleet.badges.current(OTHER)).isEmpty();
    }

    @Test
    void aRenewalLeavesTheOldCertificateGoodUntilItEndsByItself() throws Exception {
        SessionBadges.Badge old = issue(first).badge();
        fleet.pass(Duration.ofMinutes(40));
        SessionBadges.Badge fresh = renew(first, next).badge();
        fleet.restart();
        assertThat(fleet.badges.current(SESSION)).containsExactly(old, fresh);
        fleet.pass(Duration.ofMinutes(20).minus(SECOND));
        assertThat(fleet.badges.current(SESSION)).hasSize(2);
        fleet.pass(SECOND);
        assertThat(fleet.badges.current(SESSION)).containsExactly(fresh);
        fleet.pass(Duration.ofMinutes(40));
        assertThat(fleet.badges.current(SESSION)).isEmpty();
    }

    @Test
    void noSessionHasMoreThanFiveCertificates() throws Exception {
        SessionBadges.Badge old = issue(first).badge();
        KeyPair newest = first;
        for (int i = 0; i < 6; i++) {
            KeyPair following = Fleet.sidecarKeys();
            var _ = renew(newest, following);
            newest = following;
        }
        assertThat(fleet.badges.current(SESSION)).hasSize(5).doesNotContain(old);
    }

    @Test
    void i1_aSessionIsItsHostsFromTheBeginning() throws Exception {
        requireRefused(
                FleetRefusal.OTHER_HOST, () -> fleet.badges.issue(SESSION, STRANGER, spki(first)));
        requireRefused(
                FleetRefusal.OTHER_HOST,
                () -> fleet.badges.claim(SESSION, STRANGER, SessionBadges.SESSIONS_PER_HOST_MAX));
        requireRefused(
                FleetRefusal.NOT_CURRENT, () -> fleet.badges.issue(OTHER, HOST, spki(first)));
        assertThat(issue(first).badge()).isNotNull();
    }

    @Test
    void oneHostCannotTakeTheRoomOfAllOthers() throws Exception {
        for (int i = 1; i < SessionBadges.SESSIONS_PER_HOST_MAX; i++) {
            fleet.badges.claim(SessionId.random(), HOST, SessionBadges.SESSIONS_PER_HOST_MAX);
        }
        requireRefused(
                FleetRefusal.FULL,
                () -> fleet.badges.claim(OTHER, HOST, SessionBadges.SESSIONS_PER_HOST_MAX));
        fleet.badges.claim(OTHER, STRANGER, SessionBadges.SESSIONS_PER_HOST_MAX);
        assertThat(fleet.badges.host(OTHER)).contains(STRANGER);
    }

    /// Near its end the old certificate is not good for longer than it says.
    @Test
    void aRenewalMakesNoCertificateGoodForLonger() throws Exception {
        SessionBadges.Badge old = issue(first).badge();
        fleet.pass(Duration.ofMinutes(59));
        var _ = renew(first, next);
        assertThat(fleet.badges.current(SESSION).getFirst()).isEqualTo(old);
    }

    @Test
    void i1_theKeyOfAnotherSessionProvesNothing() throws Exception {
        KeyPair foreign = Fleet.sidecarKeys();
        var _ = issue(first);
        fleet.badges.claim(OTHER, HOST, SessionBadges.SESSIONS_PER_HOST_MAX);
        var _ = fleet.badges.issue(OTHER, HOST, spki(foreign));
        requireRefused(FleetRefusal.BAD_PROOF, () -> renew(foreign, next));
        // The right key, for another session or another key.
        byte[] forOther =
                Fleet.sign(first.getPrivate(), SessionBadges.proofText(OTHER, spki(next)));
        requireRefused(
                FleetRefusal.BAD_PROOF,
                () -> fleet.badges.renew(SESSION, HOST, spki(next), forOther));
        byte[] forAnother =
                Fleet.sign(first.getPrivate(), SessionBadges.proofText(SESSION, spki(foreign)));
        requireRefused(
                FleetRefusal.BAD_PROOF,
                () -> fleet.badges.renew(SESSION, HOST, spki(next), forAnother));
        requireRefused(
                FleetRefusal.BAD_PROOF,
                () -> fleet.badges.renew(SESSION, HOST, spki(next), new byte[0]));
        assertThat(renew(first, next).certificatePem()).contains("BEGIN CERTIFICATE");
    }

    @Test
    void theKeyBeforeTheNewestProvesNothing() throws Exception {
        var _ = issue(first);
        var _ = renew(first, next);
        assertThat(fleet.badges.current(SESSION)).hasSize(2);
        requireRefused(FleetRefusal.BAD_PROOF, () -> renew(first, Fleet.sidecarKeys()));
    }

    @Test
    void anExpiredCertificatesKeyProvesNothing() throws Exception {
        var _ = issue(first);
        fleet.pass(Duration.ofHours(1));
        requireRefused(FleetRefusal.NOT_CURRENT, () -> renew(first, next));
        assertThat(issue(next).badge().until()).isAfter(fleet.instant());
    }

    @Test
    void i1_anotherHostGetsNothingForTheSession() throws Exception {
        var _ = issue(first);
        byte[] proof = Fleet.sign(first.getPrivate(), SessionBadges.proofText(SESSION, spki(next)));
        requireRefused(
                FleetRefusal.OTHER_HOST, () -> fleet.badges.issue(SESSION, STRANGER, spki(next)));
        requireRefused(
                FleetRefusal.OTHER_HOST,
                () -> fleet.badges.renew(SESSION, STRANGER, spki(next), proof));
        fleet.badges.release(SESSION);
        fleet.restart();
        requireRefused(
                FleetRefusal.OTHER_HOST, () -> fleet.badges.issue(SESSION, STRANGER, spki(next)));
        assertThat(issue(next).badge()).isNotNull();
    }

    /// The certificate itself still looks right to TLS; that is why the list decides.
    @Test
    void i3_aStolenKeyIsOfNoUseAfterTheSessionWasReleasedOrEnded() throws Exception {
        String stolen = issue(first).certificatePem();
        fleet.badges.release(SESSION);
        assertThat(fleet.badges.current(SESSION)).isEmpty();
        requireRefused(FleetRefusal.NOT_CURRENT, () -> renew(first, next));
        assertThat(
                        Handshake.run(
                                fleet, fleet.authority.authorityPems(), stolen, first.getPrivate()))
                .isEqualTo(CertifiedKey.parse(stolen));
        fleet.restart();
        assertThat(fleet.badges.current(SESSION)).isEmpty();
        assertThat(fleet.badges.host(SESSION)).contains(HOST);

        var _ = issue(next);
        fleet.badges.end(SESSION);
        assertThat(fleet.badges.current(SESSION)).isEmpty();
        requireRefused(FleetRefusal.NOT_CURRENT, () -> renew(next, first));
        fleet.restart();
        assertThat(fleet.badges.current(SESSION)).isEmpty();
        assertThat(fleet.badges.host(SESSION)).isEmpty();
    }

    @Test
    void aNewFirstCertificateReplacesAllOthersAtOnce() throws Exception {
        var _ = issue(first);
        var _ = renew(first, next);
        SessionBadges.Badge only = issue(Fleet.sidecarKeys()).badge();
        assertThat(fleet.badges.current(SESSION)).containsExactly(only);
        requireRefused(FleetRefusal.BAD_PROOF, () -> renew(next, Fleet.sidecarKeys()));
    }

    @Test
    void aKeyOfAnotherKindIsNotCertified() throws Exception {
        byte[] large = Fleet.keys("secp384r1").getPublic().getEncoded();
        requireRefused(FleetRefusal.BAD_KEY, () -> fleet.badges.issue(SESSION, HOST, large));
        assertThat(fleet.badges.wasCertified(SESSION)).isFalse();
    }

    @Test
    void isAliveWhileACertificateIsGoodAndAMomentBeforeTheFirst() throws Exception {
        assertThat(fleet.badges.isAlive(SESSION)).isTrue();
        fleet.pass(SessionBadges.CLAIM_MAX);
        assertThat(fleet.badges.isAlive(SESSION)).isFalse();
        var _ = issue(first);
        fleet.pass(Duration.ofMinutes(30));
        var _ = renew(first, next);
        fleet.pass(Duration.ofMinutes(59));
        assertThat(fleet.badges.isAlive(SESSION)).isTrue();
        fleet.badges.release(SESSION);
        assertThat(fleet.badges.isAlive(SESSION)).isFalse();
        var _ = issue(first);
        assertThat(fleet.badges.isAlive(SESSION)).isTrue();
        fleet.pass(Duration.ofHours(1));
        assertThat(fleet.badges.isAlive(SESSION)).isFalse();
        assertThat(fleet.badges.isAlive(OTHER)).isFalse();
    }

    @Test
    void itsFilesAreClosedToOthersAndRefusedWhenTheyAreNot() throws Exception {
        var _ = issue(first);
        Path file = temporary.resolve("fleet/badges/" + SESSION + ".json");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> fleet.restart())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("is open to others");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        String whole = Files.readString(file);
        Files.writeString(file, whole.replaceFirst("\"text\":\"....", "\"text\":\"AAAA"));
        assertThatThrownBy(() -> fleet.restart())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("damaged");
        Files.writeString(file, whole);
        fleet.restart();
        assertThat(fleet.badges.current(SESSION)).hasSize(1);
    }
}
